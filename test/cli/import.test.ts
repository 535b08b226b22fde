import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd, type Served, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const PAYMENT = { payment_account_id: 1, phone: "0712345678", amount: 5, reference: "BACKED-UP" };

/** A copy of a server's database in which one prompt is pending, and what the server had. */
let copy: string;
let origin: Served;
let pendingId: string;

beforeAll(async () => {
  origin = await serveMomo();
  const answer = await origin.post("/stkpush.php", PAYMENT, { "X-Sandbox-Outcome": "cancelled; after=2s" });
  pendingId = ((await answer.json()) as { checkout_request_id: string }).checkout_request_id;
  copy = join(newFolder(), "copy");
  expect((await runMomo(["export", copy, ...origin.at])).exitCode).toBe(0);
});

/** A data directory with a merchant of another name in it. */
async function otherData(): Promise<string> {
  const data = join(newFolder(), "data");
  await runMomo(["merchants", "create", "--name", "Other", "--data", data]);
  return data;
}

/** What the copy's key gets from a server: the one payment. */
async function paymentAt({ ready }: Served): Promise<Record<string, unknown> | undefined> {
  const { api_key, api_secret } = origin.ready;
  const headers = { "X-API-Key": api_key, "X-API-Secret": api_secret };
  const answer = await fetch(`${ready.base_url}/transactions.php?search=BACKED`, { headers });
  return ((await answer.json()) as { transactions: Record<string, unknown>[] }).transactions[0];
}

const merchantsIn = async (data: string) =>
  (
    JSON.parse((await runMomo(["merchants", "list", "--json", "--data", data])).stdout) as {
      merchants: { name: string }[];
    }
  ).merchants;

describe("momo import FILE puts it into the data directory", () => {
  test.concurrent("and momo serve goes on with it: the keys, the payments, and the prompt that is pending", async () => {
    const data = join(newFolder(), "data");
    const run = await runMomo(["import", copy, "--data", data]);
    expect(run).toEqual({
      stdout: "",
      stderr: `made ${join(data, "momo.db")}: 1 merchant, 1 transaction\n`,
      exitCode: 0,
    });
    const server = await serveMomo(["--data", data]);
    expect(await paymentAt(server)).toMatchObject({ checkout_request_id: pendingId });
    await fetch(`${server.ready.control_url}/wait`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ checkout_request_id: pendingId }),
    });
    expect(await paymentAt(server)).toMatchObject({ status: "cancelled" });
  });

  test.concurrent("also under umask 000 it is 0600, and leaves no draft", async () => {
    const loose = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
    const data = join(newFolder(), "data");
    await runMomo(["import", copy, "--data", data], { program: loose });
    expect(readdirSync(data).sort()).toEqual(["momo.db", "momo.lock"]);
    for (const name of readdirSync(data)) expect(statSync(join(data, name)).mode & 0o777).toBe(0o600);
  });

  test.concurrent("- is standard input", async () => {
    const data = join(newFolder(), "data");
    const script = `"$@" export - --data '${origin.ready.data}' | "$@" import - --json --data '${data}'`;
    const run = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
    expect(JSON.parse(run.stdout)).toEqual({
      data,
      replaced: false,
      schema: KNOWN_SCHEMA,
      merchants: 1,
      transactions: 1,
      credentials: "none",
    });
  });
});

describe("it refuses, and changes nothing", () => {
  const whole = () => readFileSync(copy);

  const changed = (sql: string) => (file: string) => {
    copyFileSync(copy, file);
    const database = new Database(file);
    database.run("PRAGMA foreign_keys = OFF");
    database.run(sql);
    database.close();
  };

  const REFUSED: [what: string, prepare: (file: string) => void, why: string][] = [
    ["text", (file) => writeFileSync(file, "not a database"), "is damaged or not a database"],
    ["an empty file", (file) => writeFileSync(file, ""), "is damaged or not a database"],
    ["half a copy", (file) => writeFileSync(file, whole().subarray(0, whole().length / 2)), "is damaged"],
    [
      "a copy with damage deep inside",
      (file) => writeFileSync(file, Buffer.concat([whole().subarray(0, -4096), Buffer.alloc(4096, 0xa5)])),
      "is damaged",
    ],
    [
      "a row that refers to nothing",
      changed("INSERT INTO payment_accounts VALUES (9, 99, 'Stray', 0, 0, 1)"),
      "a row refers to one that is not there",
    ],
    ["a newer momo's", changed("PRAGMA user_version = 99"), "was written by a newer momo (schema 99"],
    ["another program's", changed("PRAGMA application_id = 1"), "is not a database of momo's"],
    [
      "one with a trigger that is not momo's",
      changed("CREATE TRIGGER planted AFTER INSERT ON merchants BEGIN DELETE FROM api_keys; END"),
      "is not a database of momo's",
    ],
    [
      "one that lacks a rule",
      changed("DROP TRIGGER transactions_final_rows_never_change"),
      "is not a database of momo's",
    ],
    [
      "one whose writes stand beside it",
      (file) => {
        copyFileSync(copy, file);
        writeFileSync(`${file}-wal`, "journal");
      },
      "is in use",
    ],
    ["a folder", (file) => mkdirSync(file), "is a folder"],
    ["a pipe that nobody writes to", (file) => void Bun.spawnSync(["mkfifo", file]), "is a pipe or a device"],
    ["a device", (file) => symlinkSync("/dev/null", file), "is a pipe or a device"],
  ];

  for (const [what, prepare, why] of REFUSED) {
    test.concurrent(what, async () => {
      const data = await otherData();
      const file = join(newFolder(), "given");
      prepare(file);
      const before = readFileSync(join(data, "momo.db"));
      const run = await runMomo(["import", file, "--replace", "--data", data]);
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toStartWith(`momo: ${file} `);
      expect(run.stderr).toContain(why);
      expect(run.stderr.trimEnd().split("\n")).toHaveLength(2);
      expect(readFileSync(join(data, "momo.db")).equals(before)).toBe(true);
      expect(readdirSync(data).filter((name) => name !== "momo.lock")).toEqual(["momo.db"]);
    });
  }

  test.concurrent("a file that is not there: exit 3, and no directory is made", async () => {
    const folder = newFolder();
    const run = await runMomo(["import", join(folder, "gone"), "--data", join(folder, "data")]);
    expect(run).toMatchObject({ stdout: "", exitCode: 3 });
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  test.concurrent("an input without an end, at its beginning", async () => {
    const script = `"$@" import - --data '${join(newFolder(), "data")}' </dev/zero`;
    const run = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("standard input is damaged") });
  });

  test.concurrent("an input whose end is not waited for: Ctrl+C leaves no draft", async () => {
    const data = await otherData();
    const child = Bun.spawn([...PROGRAM, "import", "-", "--replace", "--data", data], {
      stdin: "pipe",
      stderr: "pipe",
    });
    await child.stdin.write(whole().subarray(0, 4096));
    await child.stdin.flush();
    const drafts = () => readdirSync(data).filter((name) => name.endsWith(".tmp"));
    while (drafts().length === 0 && child.exitCode === null) await Bun.sleep(5);
    expect(drafts()).toHaveLength(1);
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(drafts()).toEqual([]);
    expect(await merchantsIn(data)).toMatchObject([{ name: "Other" }]);
  });

  test.concurrent("while a server runs on that directory, which it names", async () => {
    const server = await serveMomo();
    const run = await runMomo(["import", copy, "--replace", ...server.at]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toContain(`in use by another momo (process ${server.ready.pid}`);
    expect((await server.get("/transactions.php")).status).toBe(200);
  });

  test.concurrent("a store that is not empty, without --replace", async () => {
    const data = await otherData();
    const run = await runMomo(["import", copy, "--data", data, "--json"]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(failureOf(run).hint).toContain("--replace");
    expect(await merchantsIn(data)).toMatchObject([{ name: "Other" }]);
  });
});

describe("--replace", () => {
  test.concurrent("takes the copy's rows alone, whatever a killed server left beside the old database", async () => {
    const killed = await serveMomo();
    for (let count = 0; count < 20; count++) await killed.post("/stkpush.php", { ...PAYMENT, reference: "LOST" });
    await killed.kill();
    expect(statSync(join(killed.ready.data, "momo.db-wal")).size).toBeGreaterThan(0);
    const run = await runMomo(["import", copy, "--replace", ...killed.at]);
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("replaced") });
    const server = await serveMomo(killed.at);
    expect(await paymentAt(server)).toMatchObject({ checkout_request_id: pendingId });
    const listed = (await (await server.get("/transactions.php?search=LOST")).json()) as { transactions: unknown[] };
    expect(listed.transactions).toEqual([]);
  });

  test.concurrent("ids go on after those of the database that was there, also where a killed server left them in its log", async () => {
    const killed = await serveMomo();
    for (let count = 0; count < 5; count++) await killed.post("/stkpush.php", PAYMENT);
    await killed.kill();
    expect((await runMomo(["import", copy, "--replace", ...killed.at])).exitCode).toBe(0);
    const server = await serveMomo(killed.at);
    const account = { ...PAYMENT, payment_account_id: server.ready.payment_account_id };
    const answer = (await (await server.post("/stkpush.php", account)).json()) as { transaction_id: number };
    expect(answer.transaction_id).toBe(6);
  });
});

describe("credentials.json must match what is in the database, or it is said", () => {
  const imported = async (data: string) => {
    const run = await runMomo(["import", copy, "--replace", "--data", data]);
    expect(run.exitCode).toBe(0);
    return run.stderr;
  };

  test.concurrent("it matches where the copy was made: nothing is said, and the server keeps the key", async () => {
    const server = await serveMomo();
    const here = join(newFolder(), "copy");
    await runMomo(["export", here, ...server.at]);
    await server.stop();
    const run = await runMomo(["import", here, "--replace", "--json", ...server.at]);
    expect(JSON.parse(run.stdout)).toMatchObject({ replaced: true, credentials: "same" });
    expect((await serveMomo(server.at)).ready.api_key).toBe(server.ready.api_key);
  });

  test.concurrent("it is of another database: that is said, and the server makes a new key", async () => {
    const server = await serveMomo();
    await server.stop();
    expect(await imported(server.ready.data)).toContain("credentials.json has no key of this database");
    const again = await serveMomo(server.at);
    expect(again.ready.api_key).not.toBe(server.ready.api_key);
    expect((await again.get("/transactions.php")).status).toBe(200);
  });
});
