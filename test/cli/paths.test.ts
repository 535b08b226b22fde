import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

/** The home directory in paths, and commands that have none. */

afterAll(cleanUp);

/** Like a user without a home directory, who needs privileges: a relative one is none. */
const HOMELESS = { HOME: "relative", XDG_DATA_HOME: "" };

test.concurrent.each(["serve --port 0", "pay 0712345678 1", "health", "doctor", "list", "export copy.db", "keys list"])(
  "without a home directory, the default data directory is refused by name: momo %s",
  async (line) => {
    expect(await runMomo(line.split(" "), { env: HOMELESS })).toEqual({
      stdout: "",
      stderr:
        "momo: HOME is not set, so there is no default data directory\n" +
        "      set HOME, or name a folder with --data or MOMO_DATA\n",
      exitCode: 2,
    });
  },
);

test.concurrent("without a home directory, all goes that names a server or a folder, or needs none", async () => {
  const { at, baseUrl, headers } = await startIn(newFolder());
  const env = {
    ...HOMELESS,
    MOMO_API_KEY: headers["X-API-Key"] ?? "",
    MOMO_API_SECRET: headers["X-API-Secret"] ?? "",
  };
  for (const words of [
    ["pay", "0712345678", "1", "--account", "1", "--base-url", baseUrl],
    ["list", "--base-url", baseUrl],
    ["rules", "list", "--base-url", baseUrl],
    ["health", "--base-url", baseUrl],
    ["doctor", ...at],
    ["exec", "--", "true"],
    ["mcp"],
    [],
  ]) {
    expect(await runMomo(words, { env, stdin: "" })).toMatchObject({ stderr: "", exitCode: 0 });
  }
  const server = await serveMomo(["--ephemeral"], { env: HOMELESS });
  expect(await server.stop()).toBe(0);
});

test.concurrent("~/ is the home directory in every option and variable of a file, also where no shell has replaced it", async () => {
  const HOME = newFolder();
  mkdirSync(join(HOME, "cwd"));
  const options = { env: { HOME }, cwd: join(HOME, "cwd") };
  const run = async (...words: string[]) => expect(await runMomo(words, options)).toMatchObject({ exitCode: 0 });
  writeFileSync(join(HOME, "rules.json"), '{"outcome":"cancelled"}');
  writeFileSync(join(HOME, "profile.json"), "{}");
  writeFileSync(join(HOME, "token"), "t".repeat(20), { mode: 0o600 });
  const files = ["rules=~/rules.json", "profile=~/profile.json", "control-token-file=~/token", "ready-file=~/ready"];
  const server = startMomo(["serve", "--port=0", "--data=~/data", "-q", ...files.map((file) => `--${file}`)], options);
  await server.stdout.until(/Ready/);
  expect(readdirSync(HOME)).toEqual(expect.arrayContaining(["data", "ready"]));
  expect(await runMomo(["health"], { ...options, env: { HOME, MOMO_DATA: "~/data" } })).toMatchObject({ exitCode: 0 });
  await run("audit", "--data=~/data", "--output=~/audit.txt");
  await run("export", "--data=~/data", "~/copy.db");
  await run("import", "--data=~/other", "~/copy.db");
  await run("exec", "--audit-report=~/report.xml", "--", "true");
  server.signal("SIGTERM");
  expect(await server.exited).toBe(0);
  // A command line with errors removes an old ready file, too.
  writeFileSync(join(HOME, "ready"), "");
  expect(await runMomo(["serve", "--no-such-option", "--ready-file=~/ready"], options)).toMatchObject({ exitCode: 2 });
  const made = "audit.txt copy.db cwd data other profile.json report.xml rules.json token";
  expect(readdirSync(HOME).sort()).toEqual(made.split(" "));
  expect(readdirSync(join(HOME, "cwd"))).toEqual([]);

  const without = await runMomo(["health", "--data=~/data"], { env: HOMELESS });
  expect(without.stderr).toStartWith("momo: ~/data is in the home directory, and HOME is not set\n");
});

test.concurrent("a relative TMPDIR is resolved once: the command of momo exec may change its folder", async () => {
  const cwd = newFolder();
  mkdirSync(join(cwd, "rel"));
  const command = ["sh", "-c", 'cd /; cat "$SSL_CERT_FILE"; echo "$MOMO_DATA"'];
  const run = await runMomo(["exec", "--intercept", "pay.example", "--", ...command], { cwd, env: { TMPDIR: "rel" } });
  expect(run.stdout).toContain("-----END CERTIFICATE-----");
  expect(run.stdout).toContain(`\n${cwd}/rel/momo-temporary-`);
});

test.concurrent.skipIf(process.platform !== "linux")(
  "a command finds the only server that was started with its MOMO_DATA, whatever directory that server uses",
  async () => {
    const cwd = newFolder();
    const env = { MOMO_DATA: "data" };
    const options = { cwd, env };
    const exitCodeOf = async (...words: string[]) => (await runMomo(words, options)).exitCode;
    const started = { cwd, env: { ...env, MOMO_SERVE_EPHEMERAL: "1" } };
    const first = await serveMomo(["--ephemeral", "--control-port", "0"], started);
    expect(await exitCodeOf("health")).toBe(0);
    expect(await exitCodeOf("pay", "0712345678", "1")).toBe(0);
    expect(await exitCodeOf("keys", "create")).toBe(0);
    expect(await exitCodeOf("rules", "list")).toBe(0);
    expect(await exitCodeOf("health", "--data", "data")).toBe(6);
    const other = { cwd, env: { MOMO_DATA: "other" } };
    expect((await runMomo(["health"], other)).exitCode).toBe(6);
    expect((await runMomo(["health"], { ...other, env: { MOMO_DATA: join(cwd, "data") } })).exitCode).toBe(0);
    expect(readdirSync(cwd)).not.toContain("data");

    const second = await serveMomo(["--ephemeral"], started);
    expect(await exitCodeOf("health")).toBe(6); // which of them?
    await first.stop();
    expect(await exitCodeOf("health")).toBe(0);
    const usual = await serveMomo(["--data", join(cwd, "data")], options);
    expect((await runMomo(["env", "--json"], options)).stdout).toContain(usual.ready.base_url);
    await usual.stop();
    expect(await exitCodeOf("health")).toBe(6); // the directory has a database of its own now
    await second.stop();
  },
);
