import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { at, FREE_PORT, findingsOf, needingAction } from "../support/doctor.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { startProgram } from "../support/program.ts";

afterAll(cleanUp);

/** A data directory that has been in use. */
async function used(): Promise<string> {
  const server = await serveMomo();
  await server.stop();
  return server.ready.data;
}

describe("nothing to do: exit 0", () => {
  test.concurrent("fresh: nothing is there, and nothing is made", async () => {
    const data = join(newFolder(), "data");
    const findings = await findingsOf(["--data", data]);
    expect(needingAction(findings)).toEqual([]);
    expect(at(findings, "data directory")).toBe(`${data} is not there yet; momo serve makes it`);
    expect(at(findings, "database")).toContain("none yet");
    expect(existsSync(data)).toBe(false);
  });

  test.concurrent("running", async () => {
    const { ready, at: flags } = await serveMomo();
    const findings = await findingsOf(flags);
    expect(needingAction(findings)).toEqual([]);
    expect(at(findings, "server")).toMatch(new RegExp(`^momo .*, process ${ready.pid}, serves ${ready.base_url}$`));
    expect(at(findings, "database")).toMatch(/^sound, schema [0-9]+$/);
  });

  test.concurrent("stopped", async () => {
    const findings = await findingsOf(["--data", await used()]);
    expect(needingAction(findings)).toEqual([]);
    expect(at(findings, "server")).toBe("none serves this directory; momo serve starts one");
  });

  test.concurrent("two momos on the path: it says which one a shell starts", async () => {
    const folders = [newFolder(), newFolder()];
    for (const folder of folders) writeFileSync(join(folder, "momo"), "", { mode: 0o755 });
    const [first, second] = folders;
    const findings = await findingsOf(["--data", join(newFolder(), "data")], {
      env: { PATH: `${first}:/usr/bin:/bin:${second}:${first}` },
    });
    expect(needingAction(findings)).toEqual([]);
    expect(at(findings, "path")).toBe(`a shell starts ${first}/momo, and not ${second}/momo`);
  });

  test.concurrent("a stale server.json", async () => {
    const server = await serveMomo();
    await server.kill();
    const findings = await findingsOf(server.at);
    expect(needingAction(findings)).toEqual([]);
    expect(at(findings, "server")).toContain(
      `process ${server.ready.pid} served ${server.ready.base_url} and was killed`,
    );
  });

  test.concurrent("a server that stops is not said to have ended, nor to be none", async () => {
    const data = await used();
    // What a server leaves until its last request is answered: its lock, and no record.
    const { line, finish } = startProgram("hold-lock", join(data, "momo.lock"));
    expect(await line()).toBe("held");
    const findings = await findingsOf(["--data", data]);
    expect(at(findings, "server")).toContain("it is starting, stopping or importing");
    expect(needingAction(findings)).toEqual([]);
    await finish();
    expect(at(await findingsOf(["--data", data]), "server")).toBe("none serves this directory; momo serve starts one");
  });

  test.concurrent("one that is still reached while it stops: in its own words", async () => {
    const data = await used();
    const { port } = serveFake(() =>
      Response.json({ success: false, message: "momo is stopping", status: "draining" }, { status: 503 }),
    );
    const [base_url, control_url] = [`http://127.0.0.1:${port}/v2`, `http://127.0.0.1:${port}/_momo`];
    const record = JSON.stringify({ pid: 7, base_url, control_url, control_token: null });
    writeFileSync(join(data, "server.json"), record, { mode: 0o600 });
    const findings = await findingsOf(["--data", data]);
    expect(at(findings, "server")).toBe(`process 7 at ${base_url}: momo is stopping`);
    expect(needingAction(findings)).toEqual([]);
  });

  test.concurrent("a clock that was moved by hand is mentioned", async () => {
    const data = await used();
    writeFileSync(join(data, "clock.json"), '{"frozen_at_ms":1795158000000}', { mode: 0o600 });
    expect(at(await findingsOf(["--data", data]), "clock")).toContain("frozen; momo clock resume");
    writeFileSync(join(data, "clock.json"), '{"ahead_ms":60000}', { mode: 0o600 });
    expect(at(await findingsOf(["--data", data]), "clock")).toContain("moved forward by somebody");
  });

  test.concurrent("variables of the environment are shown, with secrets hidden", async () => {
    const env = {
      MOMO_BASE_URL: "http://127.0.0.1:1/v2",
      MOMO_API_KEY: "mk_shown",
      MOMO_API_SECRET: "ms_hidden",
      MOMO_CONTROL_TOKEN: "t0ken-that-is-hidden",
      MOMO_DATA: join(newFolder(), "data"),
    };
    const findings = await findingsOf([], { env });
    expect(needingAction(findings)).toEqual(["API"]); // nothing answers there
    expect(at(findings, "MOMO_API_KEY")).toBe("mk_shown, from the environment; it decides over credentials.json");
    expect(at(findings, "MOMO_API_SECRET")).toStartWith("(set), ");
    expect(at(findings, "data directory")).toStartWith(env.MOMO_DATA);
    expect(JSON.stringify(findings)).not.toMatch(/hidden/);
  });

  test.concurrent("a secret in an address or a path is hidden, however it is written", async () => {
    const secret = "hidden".padEnd(40, "0");
    const env = {
      MOMO_BASE_URL: `http://127.0.0.1:1/v2/ms%5F${secret}`,
      MOMO_CONTROL_URL: `http://127.0.0.1:1/ms_${secret}`,
      MOMO_DATA: join(newFolder(), `ms_${secret}`),
    };
    const findings = await findingsOf([], { env });
    expect(JSON.stringify(findings)).not.toContain("hidden");
    expect(at(findings, "MOMO_BASE_URL")).toStartWith("http://127.0.0.1:1/v2/[redacted], ");
    expect((await runMomo(["doctor", "--format", "table"], { env })).stdout).not.toContain("hidden");
  });
});

describe("action is needed: exit 1, and each says what to do", () => {
  test.concurrent("a database of a newer momo", async () => {
    const data = await used();
    const database = new Database(join(data, "momo.db"));
    database.run("PRAGMA user_version = 99");
    database.close();
    const findings = await findingsOf(["--data", data]);
    expect(needingAction(findings)).toEqual(["database"]);
    expect(at(findings, "database")).toContain("newer momo");
  });

  test.concurrent("a key in credentials.json that belongs to another database", async () => {
    const [data, other] = await Promise.all([used(), used()]);
    copyFileSync(join(other, "credentials.json"), join(data, "credentials.json"));
    expect(needingAction(await findingsOf(["--data", data]))).toEqual(["key"]);
  });

  test.concurrent("a damaged database", async () => {
    const data = await used();
    const file = join(data, "momo.db");
    writeFileSync(file, "this is not a database\n".repeat(400), { mode: 0o600 });
    const findings = await findingsOf(["--data", data]);
    expect(needingAction(findings)).toEqual(["database"]);
    expect(at(findings, "database")).toContain(file);
  });

  test.concurrent("a pipe in the place of the database or of the lock: it is not waited for", async () => {
    for (const [name, acts] of [
      ["momo.db", ["database"]],
      ["momo.lock", []],
    ] as const) {
      const data = newFolder();
      Bun.spawnSync(["mkfifo", join(data, name)]);
      const findings = await findingsOf(["--data", data]);
      expect(needingAction(findings)).toEqual([...acts]);
    }
  });

  test.concurrent("world-readable credentials, and the remedy helps", async () => {
    const data = await used();
    const file = join(data, "credentials.json");
    chmodSync(file, 0o644);
    const findings = await findingsOf(["--data", data]);
    expect(needingAction(findings)).toEqual(["credentials"]);
    expect(at(findings, "credentials")).toBe(`${file} can be read by others`);
    chmodSync(file, 0o600);
    expect(needingAction(await findingsOf(["--data", data]))).toEqual([]);
  });

  test.concurrent("a revoked key in credentials.json, with and without a running server; momo serve makes a new one", async () => {
    const server = await serveMomo();
    expect(at(await findingsOf(server.at), "key")).toBe(server.ready.api_key);
    await runMomo(["keys", "revoke", server.ready.api_key, ...server.at]);
    const isRefused = `${server.ready.api_key} in credentials.json is revoked or belongs to another database, so it is refused`;
    const whileRunning = await findingsOf(server.at);
    expect(needingAction(whileRunning)).toEqual(["key", "API key"]);
    expect(at(whileRunning, "key")).toBe(isRefused);
    await server.stop();
    expect(at(await findingsOf(server.at), "key")).toBe(isRefused);
    const again = await serveMomo(server.at);
    expect(at(await findingsOf(again.at), "key")).toBe(again.ready.api_key);
  });

  test.concurrent("damaged records beside the database", async () => {
    const data = await used();
    for (const [check, name] of [
      ["credentials", "credentials.json"],
      ["server record", "server.json"],
      ["clock record", "clock.json"],
    ] as const) {
      writeFileSync(join(data, name), "{", { mode: 0o600 });
      const findings = await findingsOf(["--data", data]);
      expect(needingAction(findings)).toContain(check);
      expect(at(findings, check)).toContain(join(data, name));
    }
  });

  test.concurrent("a port that is taken", async () => {
    const { port } = serveFake(() => new Response("no momo"));
    const findings = await findingsOf(["--data", join(newFolder(), "data"), "--port", String(port)]);
    expect(needingAction(findings)).toEqual(["port"]);
    expect(at(findings, "port")).toBe(`${port} is taken by another program`);
  });

  test.concurrent("a data directory that is a file, or may not be written", async () => {
    const file = join(newFolder(), "data");
    writeFileSync(file, "");
    expect(needingAction(await findingsOf(["--data", file]))).toContain("data directory");
    if (process.getuid?.() === 0) return; // whoever may write everything cannot be refused
    const folder = join(newFolder(), "data");
    mkdirSync(folder, { mode: 0o500 });
    expect(needingAction(await findingsOf(["--data", folder]))).toEqual(["data directory"]);
  });
});

test.concurrent("a database of another program, a variable that is no address: named, with a remedy, exit 1", async () => {
  const folder = newFolder();
  const other = new Database(join(folder, "momo.db"));
  other.run("CREATE TABLE cake (slices)");
  other.close();
  const run = await runMomo(["doctor", ...FREE_PORT, "--data", folder, "--json"], {
    env: { MOMO_BASE_URL: "garbage" },
  });
  expect(run.exitCode).toBe(1);
  const { findings } = JSON.parse(run.stdout) as { findings: { check: string; remedy: string | null }[] };
  const acts = findings.filter(({ remedy }) => remedy !== null).map(({ check }) => check);
  expect(acts).toEqual(["database", "MOMO_BASE_URL"]);
});

test("wrong totals: named, and counted anew with --mend, but not beside a server", async () => {
  const server = await serveMomo();
  await server.post("/stkpush.php", {
    payment_account_id: server.ready.payment_account_id,
    phone: "0712345678",
    amount: 5,
  });
  const file = join(server.ready.data, "momo.db");
  const spoil = new Database(file);
  spoil.run("UPDATE day_totals SET count = count + 1");
  spoil.close();
  const doctor = async (...flags: string[]) => {
    const { stdout, stderr, exitCode } = await runMomo(["doctor", "--port", "0", ...server.at, "--json", ...flags]);
    const findings: { check: string; finding: string; remedy: string | null }[] =
      exitCode <= 1 && stdout ? JSON.parse(stdout).findings : [];
    return { stderr, exitCode, database: findings.find(({ check }) => check === "database") };
  };
  expect((await doctor()).database).toMatchObject({
    finding: "sound, but its totals, which the list shows, differ from a full count",
    remedy: "stop momo serve, and count them again with momo doctor --mend",
  });
  expect(await doctor("--mend")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("is in use by another momo"),
  });
  await server.stop();
  expect((await doctor("--mend")).database?.finding).toContain("are counted again");
  expect((await doctor()).database?.finding).toMatch(/^sound, schema [0-9]+$/);
});
