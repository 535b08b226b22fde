import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { isStopped } from "../../cli/client/diagnose.ts";
import { acquireLock } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, serveFake, serveRaw } from "../support/fake-server.ts";
import { expectRefusal, type RunOptions, runMomo, runToEnd, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { inTime, until } from "../support/waiting.ts";
import { writeServerRecord } from "./used-directory.ts";

afterAll(cleanUp);

interface Finding {
  readonly check: string;
  readonly finding: string;
  readonly remedy: string | null;
}

/** A port that is free for sure: the doctor's own default may be in use on this machine. */
const FREE_PORT = ["--port", "0"];

/** What `momo doctor` finds: the finding of each check, and the remedy of each that needs action. Exit 1 only if one does. */
async function examine(args: readonly string[], options: RunOptions = {}) {
  const run = await runMomo(["doctor", "--json", ...FREE_PORT, ...args], options);
  const { findings } = JSON.parse(run.stdout) as { findings: Finding[] };
  const acts = findings.filter(({ remedy }) => remedy !== null);
  expect(run).toMatchObject({ stderr: "", exitCode: acts.length > 0 ? 1 : 0 });
  const found = Object.fromEntries(findings.map(({ check, finding }) => [check, finding]));
  const remedies = Object.fromEntries(acts.map(({ check, remedy }) => [check, remedy]));
  return { found, remedies, needAction: Object.keys(remedies) };
}

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

describe("nothing to do: exit 0", () => {
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
    writeServerRecord(data, `http://127.0.0.1:${port}`);
    const release = acquireLock(join(data, "momo.lock"));
    const { found, needAction } = await examine(["--data", data]);
    expect(found.server).toBe(`process ${process.pid} at http://127.0.0.1:${port}/v2: momo is stopping`);
    expect(needAction).toEqual([]);
    release();
  });
});

describe("action is needed: exit 1, and the finding names the problem", () => {
  test.concurrent("a pipe in the place of momo.lock, which is not read", async () => {
    const data = newFolder();
    Bun.spawnSync(["mkfifo", join(data, "momo.lock")]);
    // Reading a pipe would block this process.
    const { stdout, exited } = startMomo(["doctor", "--json", ...FREE_PORT, "--data", data]);
    expect(await inTime(exited, () => "the doctor reads the pipe")).toBe(1);
    const { findings } = JSON.parse(stdout.text) as { findings: Finding[] };
    expect(findings.filter(({ remedy }) => remedy !== null)).toMatchObject([
      { check: "owner", finding: expect.stringContaining(`${join(data, "momo.lock")} is a pipe`) },
    ]);
  });

  test.concurrent("a server that holds the lock, and whose address takes the request without an answer", async () => {
    const data = used();
    const release = acquireLock(join(data, "momo.lock"));
    const { url } = serveRaw((socket) => socket.end());
    writeServerRecord(data, url);
    const { found, remedies } = await examine(["--data", data]);
    expect(found.server).toBe(`process ${process.pid}: ${url} closed the connection without an answer`);
    expect(remedies).toEqual({ server: expect.stringContaining("try again soon") });
    release();
  });

  test.concurrent("wrong totals: --mend counts them again, but not while a server runs", async () => {
    const { at, pay, stop } = await startIn(newFolder());
    await pay();
    runSql(at[1], "UPDATE day_totals SET count = count + 1");
    const { found, remedies } = await examine(at);
    expect(found.database).toBe("sound, but its totals are not those of its payments");
    expect(remedies.database).toBe("stop momo serve, and make them again with momo doctor --mend");
    const refused = await runMomo(["doctor", "--mend", ...FREE_PORT, ...at]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("is in use by another momo") });
    await stop();
    expect((await examine([...at, "--mend"])).found.database).toContain("are made again");
    expect((await examine(at)).found.database).toMatch(/^sound, schema [0-9]+$/);
  });
});

/** A data directory without a server. */
const NOWHERE = ["--data", join(newFolder(), "data")] as const;

describe("doctor calls the address with that key and that account, as momo pay would", () => {
  test.concurrent("an address where another program answers", async () => {
    const other = serveFake(() => new Response("It works!"));
    expect((await examine([...flagsOf(other), ...NOWHERE])).found.API).toContain("not like the payment service");
  });

  test.concurrent("a push that fails inside the server is no account that takes payments", async () => {
    const { port } = serveFake(({ url }) =>
      url.endsWith("/stkpush.php")
        ? Response.json({ success: false, message: "internal server error" }, { status: 500 })
        : Response.json({ success: true, message: "", faults: [], rules: [], outcome: "completed" }),
    );
    const env = {
      MOMO_BASE_URL: `http://127.0.0.1:${port}/v2`,
      MOMO_CONTROL_URL: `http://127.0.0.1:${port}/_momo`,
      MOMO_API_KEY: "mk_1",
      MOMO_API_SECRET: "ms_1",
      MOMO_PAYMENT_ACCOUNT_ID: "1",
    };
    const { found, remedies } = await examine([], { env: { ...env, MOMO_DATA: NOWHERE[1] } });
    expect([found["payment account"], remedies["payment account"]]).toEqual([
      "internal server error",
      "the log of the server has the cause",
    ]);
  });

  test.concurrent("its requests are no client's: the log and the audit have none", async () => {
    const { at, control } = await startIn(newFolder());
    expect((await examine(at)).found["payment account"]).toEndWith("takes payments");
    expect(await control("GET", "/requests")).toMatchObject({ requests: [] });
    expect(await control("GET", "/audit")).toMatchObject({ requests: 0 });
  });

  test.concurrent("a client that has its names, but not the server's secret, is a client", async () => {
    const { baseUrl, headers, control } = await startIn(newFolder());
    for (const more of [{ "User-Agent": "momo/1.0 momo doctor" }, { "x-momo-probe": "1", "x-momo-own": "a guess" }])
      await fetch(`${baseUrl}/transactions.php`, { headers: { ...headers, ...more } });
    expect((await control("GET", "/requests")).requests).toHaveLength(2);
    expect(await control("GET", "/audit")).toMatchObject({ requests: 2 });
  });

  test.concurrent("a control token that is refused", async () => {
    const env = { MOMO_CONTROL_TOKEN: "not-the-token-at-all" };
    expect((await examine(own.at, { env })).needAction).toEqual(["control token"]);
  });

  test.concurrent("a server that is stopped with SIGSTOP: the remedy lets it continue", async () => {
    const { ready, at } = await serveMomo();
    process.kill(ready.pid, "SIGSTOP");
    await until(() => isStopped(ready.pid));
    const { found, remedies, needAction } = await examine([...at, "--port", new URL(ready.base_url).port]);
    expect(needAction).toEqual(["server"]);
    expect(found.server).toContain(`process ${ready.pid} at ${ready.base_url} is stopped`);
    const remedy = remedies.server ?? "";
    expect(remedy).not.toContain("momo serve");
    await runToEnd(["sh", "-c", remedy.replace(/ lets it.*/, "")]);
    expect((await examine(at)).needAction).toEqual([]);
  });
});

const TOKEN = "the-token-of-this-sandbox";
const own = await startIn(newFolder(), { controlToken: TOKEN });

test.concurrent("the token of the running server is sent to that server only", async () => {
  const other = serveFake(() => new Response(""));
  const env = { MOMO_CONTROL_URL: other.baseUrl.replace("/v2", "/_momo") };
  await runMomo(["clock", "show"], { env: { ...env, MOMO_DATA: own.at[1] } });
  await runMomo(["clock", "show", ...own.at, "--base-url", other.baseUrl]);
  const sent = other.requests.map(({ headers }) => headers.get("Authorization"));
  expect([sent.length > 1, ...new Set(sent)]).toEqual([true, null]);
});

test.concurrent.each([
  "http://momo.invalid/v2",
  "http://127.0.0.1.invalid/v2",
  "http://localhost.invalid/v2",
  "http://localhost:1@momo.invalid/v2",
  "http://momo.invalid\\@127.0.0.1/v2",
])("the data directory's secret is not sent to %s: a usage error", async (url) => {
  expectRefusal(await runMomo(["list", ...own.at, "--base-url", url]), 2, /no API key is known|--base-url is not an/);
  const env = { MOMO_BASE_URL: url, MOMO_DATA: own.at[1] };
  expectRefusal(await runMomo(["list"], { env }), 2, /no API key is known|MOMO_BASE_URL is not an/);
});

test.concurrent("off loopback: the control token too; exit 4 with a wrong one", async () => {
  const open = await startIn(newFolder(), { host: "0.0.0.0", controlToken: TOKEN });
  const { stdout } = await runMomo(["env", ...open.at, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ MOMO_CONTROL_URL: open.controlUrl, MOMO_CONTROL_TOKEN: TOKEN });
  const env = { MOMO_CONTROL_TOKEN: "not-the-token-at-all" };
  expectRefusal(await runMomo(["env", ...open.at], { env }), 4, /^momo: .*\n.*MOMO_CONTROL_TOKEN/);
});
