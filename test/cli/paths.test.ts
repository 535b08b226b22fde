import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { defaultPlace, watchFolder } from "../../cli/files/data-directory.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, runToEnd, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

/** Like a user without a home directory, who needs privileges: a relative one is none. */
const HOMELESS = { HOME: "relative", XDG_DATA_HOME: "" };

test.concurrent("without a home directory, all goes that names a server or a folder, or needs none", async () => {
  const { at, baseUrl, env: key } = await startIn(newFolder());
  const env = { ...HOMELESS, ...key };
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
  const made = "audit.txt copy.db cwd data other profile.json report.xml rules.json token";
  expect(readdirSync(HOME).sort()).toEqual(made.split(" "));
  expect(readdirSync(join(HOME, "cwd"))).toEqual([]);
});

test.concurrent.each([
  ["serve --port 0 --data PATH", "choose another folder with --data"],
  ["serve --port 0 --ephemeral --ready-file PATH", "choose another place with --ready-file"],
  ["serve --port 0 --ephemeral --rules PATH", ""],
  ["serve --port 0 --ephemeral --profile PATH", ""],
  ["serve --port 0 --ephemeral --control-token-file PATH", ""],
  ["exec --audit-report PATH.xml -- true", "name another file"],
  ["exec --log-file PATH -- true", "name another file"],
  ["export PATH --data .", "choose another place for the copy"],
  ["import PATH --data .", ""],
  ["doctor --data PATH", "choose another with --data or MOMO_DATA"],
  ["keys list --data PATH", "choose another folder with --data"],
  ["merchants create --name A --data PATH", "choose another folder with --data"],
])("a path that no system takes is refused with the reason and what helps: momo %s", async (line, elsewhere) => {
  const cwd = newFolder();
  symlinkSync("circle", join(cwd, "circle"));
  for (const [path, reason, remedy] of [
    ["n".repeat(300), "the name is too long (ENAMETOOLONG)", "shorten it"],
    ["circle/x", /link.* in a circle \(ELOOP\)/, /correct th\S+ links?/],
  ] as const) {
    // A server that was refused by its data directory keeps the handlers of its signals.
    const isRefused = !line.startsWith("serve --port 0 --data");
    const { stdout, stderr } = await runMomo(line.replace("PATH", path).split(" "), { cwd, isRefused });
    expect(stdout + stderr).toMatch(reason);
    expect(stdout + stderr).toMatch(remedy);
    expect(stdout + stderr).toContain(elsewhere);
  }
});

test.concurrent("a relative TMPDIR is resolved once: the command of momo exec may change its folder", async () => {
  const cwd = newFolder();
  mkdirSync(join(cwd, "rel"));
  const command = ["sh", "-c", 'cd /; cat "$SSL_CERT_FILE"; echo "$MOMO_DATA"'];
  const run = await runMomo(["exec", "--intercept", "pay.example", "--", ...command], { cwd, env: { TMPDIR: "rel" } });
  expect(run.stdout).toContain("-----END CERTIFICATE-----");
  expect(run.stdout).toContain(`\n${cwd}/rel/momo-temporary-`);
});

test.concurrent("MOMO_DATA is the directory of a server that is started with it alone", async () => {
  const cwd = newFolder();
  const options = { cwd, env: { MOMO_DATA: "data" } };
  const exitCodeOf = async (...words: string[]) => (await runMomo(words, options)).exitCode;
  const elsewhere = await serveMomo(["--ephemeral"], options);
  expect(await exitCodeOf("health")).toBe(6);
  expect(await exitCodeOf("health", "--data", elsewhere.ready.data)).toBe(0);
  expect(readdirSync(cwd)).toEqual([]);
  const usual = startMomo(["serve", "--port", "0"], options);
  await usual.stdout.until(/Ready/);
  expect([await exitCodeOf("health"), await exitCodeOf("pay", "0712345678", "1")]).toEqual([0, 0]);
});

/** A data directory that a server has made, with the record of a moved clock. */
const model = newFolder();
beforeAll(async () => {
  const sandbox = await startIn(model);
  await sandbox.control("POST", "/clock", { advance: "1s" });
  await sandbox.stop();
});

function copyOfModel(): string {
  const data = newFolder();
  for (const name of readdirSync(model)) copyFileSync(join(model, name), join(data, name));
  return data;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each([
  ["linux", { home: "/home/a" }, "/home/a/.local/share/momo"],
  ["linux", { home: "/home/a", xdgDataHome: "/data" }, "/data/momo"],
  ["linux", { home: "/home/a", xdgDataHome: "data" }, "/home/a/.local/share/momo"],
  ["darwin", { home: "/Users/a" }, "/Users/a/Library/Application Support/momo"],
  ["win32", { home: "C:\\Users\\a", localAppData: "D:\\Local", xdgDataHome: "/d" }, "D:\\Local\\momo"],
  ["win32", { home: "C:\\Users\\a" }, "C:\\Users\\a\\AppData\\Local\\momo"],
  ["darwin", { home: null }, null],
] as const)("on %s with %j the data directory is %p", (platform, folders, place) => {
  expect(defaultPlace(platform, folders)).toBe(place);
});

/** A link in it is refused: foreign-files.test.ts has that of each file. */
test("the data directory itself may be reached by a link", async () => {
  const link = join(newFolder(), "link");
  symlinkSync(copyOfModel(), link);
  expect(await (await startIn(link)).pay()).toStartWith("ws_CO_");
});

test("an existing data directory keeps its mode and other files; only the owner may read momo's files", async () => {
  const data = copyOfModel();
  // A killed server leaves these.
  for (const name of ["momo.db-wal", "momo.db-shm"]) writeFileSync(join(data, name), "");
  // Each way in which others may read one: the group alone, the others alone, both.
  for (const [index, name] of readdirSync(data).sort().entries()) {
    chmodSync(join(data, name), [0o640, 0o604, 0o644][index % 3] ?? 0);
  }
  const other = join(data, "notes.txt");
  writeFileSync(other, "mine");
  chmodSync(other, 0o644);
  chmodSync(data, 0o755);
  await startIn(data);
  expect([modeOf(data), modeOf(other)]).toEqual(["755", "644"]);
  for (const name of readdirSync(data)) {
    if (name !== "notes.txt") expect([name, modeOf(join(data, name))]).toEqual([name, "600"]);
  }
});

describe("a secret is not shown", () => {
  test.concurrent("by the list of processes: neither a server nor a wrapped command has one in its title", async () => {
    const token = join(newFolder(), "token");
    writeFileSync(token, "a-control-token-of-our-own");
    const server = await serveMomo(["--host", "0.0.0.0", "--control-token-file", token]);
    const title = readFileSync(`/proc/${server.child.pid}/cmdline`, "utf8");
    expect(title).toContain("serve");
    expect(title).not.toContain(server.ready.api_secret);
    expect(title).not.toContain("a-control-token-of-our-own");
    const script = '"$@" exec -- sh -c \'cat /proc/$$/cmdline /proc/$PPID/cmdline; echo; echo "$MOMO_API_SECRET"\'';
    const { stdout } = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);
    const [titles = "", secretOfExec = ""] = stdout.split("\n");
    expect(secretOfExec).toMatch(/^ms_/);
    expect(titles).not.toContain(secretOfExec);
  });
});

test("a server whose payments are in PostgreSQL notices that its folder was moved, and that it is back", () => {
  const folder = newFolder();
  const look = watchFolder(folder);
  expect(look()).toBeNull();
  renameSync(folder, `${folder}-moved`);
  expect(look()?.message).toContain(`the folder ${folder} was moved or removed`);
  mkdirSync(folder);
  expect(look()).not.toBeNull();
  rmdirSync(folder);
  renameSync(`${folder}-moved`, folder);
  expect(look()).toBeNull();
});
