import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acquireLock } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { examine, FREE_PORT } from "../support/doctor.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const original = newFolder();
await (await startIn(original)).stop();

/** A data directory that has been in use. */
function used(): string {
  const data = join(newFolder(), "data");
  cpSync(original, data, { recursive: true });
  return data;
}

const runSql = (data: string, sql: string) => {
  const database = new Database(join(data, "momo.db"));
  database.run(sql);
  database.close();
};

const writeRecord = (data: string, name: string, record: object) =>
  writeFileSync(join(data, name), JSON.stringify(record), { mode: 0o600 });

describe("nothing to do: exit 0", () => {
  test.concurrent("two momos on the path: it says which one a shell starts", async () => {
    const folders = [newFolder(), newFolder()];
    for (const folder of folders) writeFileSync(join(folder, "momo"), "", { mode: 0o755 });
    const [first, second] = folders;
    const link = newFolder();
    symlinkSync(join(String(first), "momo"), join(link, "momo"));
    const env = { PATH: `${first}:/usr/bin:/bin:${second}:${link}` };
    const { found, needAction } = await examine(["--data", join(newFolder(), "data")], { env });
    expect(needAction).toEqual([]);
    expect(found.path).toBe(`a shell starts ${first}/momo, and not ${second}/momo`);
  });

  test.concurrent("a server that was killed: its server.json is still there", async () => {
    const data = used();
    const gone = Bun.spawn(["true"]);
    await gone.exited;
    const urls = { base_url: "http://127.0.0.1:1/v2", control_url: "http://127.0.0.1:1/_momo" };
    writeRecord(data, "server.json", { pid: gone.pid, ...urls, control_token: null });
    const { found, needAction } = await examine(["--data", data]);
    expect(needAction).toEqual([]);
    expect(found.server).toContain(`process ${gone.pid} served ${urls.base_url} and was killed`);
  });

  test.concurrent("a lock without a server.json: a server starts or stops; without both, there is none", async () => {
    const data = used();
    const release = acquireLock(join(data, "momo.lock"));
    const { found, needAction } = await examine(["--data", data]);
    expect(found.server).toContain("it is starting, stopping or importing");
    expect(needAction).toEqual([]);
    release();
    const after = await examine(["--data", data]);
    expect(after.found.server).toBe("no server runs on this directory; momo serve starts one");
    expect(after.needAction).toEqual([]);
  });

  test.concurrent("a server that still answers while it stops: its own message", async () => {
    const data = used();
    const { port } = serveFake(() =>
      Response.json({ success: false, message: "momo is stopping", status: "draining" }, { status: 503 }),
    );
    const [base_url, control_url] = [`http://127.0.0.1:${port}/v2`, `http://127.0.0.1:${port}/_momo`];
    writeRecord(data, "server.json", { pid: 7, base_url, control_url, control_token: null });
    const { found, needAction } = await examine(["--data", data]);
    expect(found.server).toBe(`process 7 at ${base_url}: momo is stopping`);
    expect(needAction).toEqual([]);
  });
});

test.concurrent.each([
  ["momo.lock", []],
  ["momo.db", ["database"]],
])("a pipe in the place of %s is not read", async (name, checks) => {
  const data = newFolder();
  Bun.spawnSync(["mkfifo", join(data, name)]);
  expect((await examine(["--data", data])).needAction).toEqual(checks);
});

describe("variables of the environment are shown, and secrets are hidden", () => {
  test.concurrent("a secret in an address or a path, however it is written", async () => {
    const secret = "hidden".padEnd(40, "0");
    const env = {
      MOMO_BASE_URL: `http://127.0.0.1:1/v2/ms%5F${secret}`,
      MOMO_CONTROL_URL: `http://127.0.0.1:1/ms_${secret}`,
      MOMO_DATA: join(newFolder(), `ms_${secret}`),
    };
    const { found, remedies } = await examine([], { env });
    expect(JSON.stringify([found, remedies])).not.toContain("hidden");
    expect(found.MOMO_BASE_URL).toStartWith("http://127.0.0.1:1/v2/[redacted], ");
  });
});

describe("action is needed: exit 1, and the finding names the problem", () => {
  test.concurrent.each([
    ["user_version = 99", "was written by a newer momo"],
    ["application_id = 1", "is not a database of momo's"],
  ])("a database with %s", async (pragma, finding) => {
    const data = used();
    runSql(data, `PRAGMA ${pragma}`);
    const { found, needAction } = await examine(["--data", data]);
    expect(needAction).toEqual(["database"]);
    expect(found.database).toContain(`momo.db ${finding}`);
  });

  test.concurrent("credentials that others may read: the table has the same finding, and the remedy helps", async () => {
    const data = used();
    const file = join(data, "credentials.json");
    chmodSync(file, 0o644);
    const { found, remedies } = await examine(["--data", data]);
    expect(found.credentials).toBe(`${file} can be read by others`);
    expect(remedies).toEqual({ credentials: `chmod 600 '${file}'` });
    const { stdout, exitCode } = await runMomo(["doctor", "--format", "table", ...FREE_PORT, "--data", data]);
    expect(stdout).toContain(`ok   database        ${found.database}\n`);
    expect(stdout).toContain(`act  credentials     ${found.credentials}\n${" ".repeat(21)}${remedies.credentials}\n`);
    expect(exitCode).toBe(1);
    Bun.spawnSync(["sh", "-c", remedies.credentials ?? ""]);
    expect((await examine(["--data", data])).needAction).toEqual([]);
  });

  test.concurrent("a revoked key, with and without a running server; the next server makes a new one", async () => {
    const sandbox = await startIn(newFolder());
    const key = sandbox.headers["X-API-Key"] ?? "";
    expect((await examine(sandbox.at)).found.key).toBe(key);
    await sandbox.control("DELETE", `/keys/${key}`);
    expect((await examine(sandbox.at)).needAction).toEqual(["key", "API key"]);
    await sandbox.stop();
    expect((await examine(sandbox.at)).needAction).toEqual(["key"]);
    const again = await startIn(sandbox.at[1]);
    expect((await examine(again.at)).found.key).toBe(again.headers["X-API-Key"] ?? "");
    expect(again.headers["X-API-Key"]).not.toBe(key);
  });

  test.concurrent("a port in use", async () => {
    const { port } = serveFake(() => new Response("no momo"));
    const { found, needAction } = await examine(["--data", join(newFolder(), "data"), "--port", String(port)]);
    expect(needAction).toEqual(["port"]);
    expect(found.port).toBe(`${port} is in use by another program`);
  });

  test.concurrent("a data directory that is a file, or may not be written", async () => {
    const file = join(newFolder(), "data");
    writeFileSync(file, "");
    expect((await examine(["--data", file])).needAction).toContain("data directory");
    if (process.getuid?.() === 0) return; // root may write everywhere
    const folder = join(newFolder(), "data");
    mkdirSync(folder, { mode: 0o500 });
    expect((await examine(["--data", folder])).needAction).toEqual(["data directory"]);
  });

  test.concurrent("wrong totals: --mend counts them again, but not while a server runs", async () => {
    const { at, pay, stop } = await startIn(newFolder());
    await pay();
    runSql(at[1], "UPDATE totals SET count = count + 1 WHERE bits = 0");
    const { found, remedies } = await examine(at);
    expect(found.database).toBe("sound, but its totals or its words for the search are not those of its payments");
    expect(remedies.database).toBe("stop momo serve, and make them again with momo doctor --mend");
    const refused = await runMomo(["doctor", "--mend", ...FREE_PORT, ...at]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("is in use by another momo") });
    await stop();
    expect((await examine([...at, "--mend"])).found.database).toContain("are made again");
    expect((await examine(at)).found.database).toMatch(/^sound, schema [0-9]+$/);
  });
});

/** A data directory without a server. */
const NOWHERE = ["--data", join(newFolder(), "data")];

describe("doctor calls the address with that key and that account, as momo pay would", () => {
  test.concurrent("an address where another program answers, or nothing", async () => {
    const other = serveFake(() => new Response("It works!"));
    expect((await examine([...flagsOf(other), ...NOWHERE])).found.API).toContain("not like the payment service");
    const closed = flagsOf({ baseUrl: "http://127.0.0.1:1/v2" });
    expect((await examine([...closed, ...NOWHERE])).needAction).toEqual(["API"]);
  });

  test.concurrent("a control token that is refused", async () => {
    const { at } = await startIn(newFolder(), { controlToken: "the-token-of-this-sandbox" });
    const env = { MOMO_CONTROL_TOKEN: "not-the-token-at-all" };
    expect((await examine(at, { env })).needAction).toEqual(["control token"]);
  });

  test.concurrent("a server that is stopped with SIGSTOP: the remedy lets it continue", async () => {
    const { ready, at } = await serveMomo();
    process.kill(ready.pid, "SIGSTOP");
    const { found, remedies, needAction } = await examine(at);
    expect(needAction).toEqual(["server"]);
    expect(found.server).toContain(`process ${ready.pid} at ${ready.base_url} is stopped`);
    const remedy = remedies.server ?? "";
    expect(remedy).not.toContain("momo serve");
    await runToEnd(["sh", "-c", remedy.replace(/ lets it.*/, "")]);
    expect((await examine(at)).needAction).toEqual([]);
  });

  test.concurrent("a proxy of the environment is named", async () => {
    const flags = [...flagsOf({ baseUrl: "http://momo.invalid/v2" }), ...NOWHERE];
    const { found, needAction } = await examine(flags, { env: { http_proxy: "http://127.0.0.1:1" } });
    expect(found.proxy).toContain("requests go through http_proxy of the environment");
    expect(needAction).toEqual(["API"]);
  });
});
