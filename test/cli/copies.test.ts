import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { putInPlace } from "../../src/store/sqlite/replace.ts";
import { copyDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { ROOT } from "../support/binary.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { openMomo, PROGRAM, runMomo, runToEnd, serveMomo, startMomo } from "../support/momo.ts";
import { afterMounts, testWithMounts } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";
import { until } from "../support/waiting.ts";

afterAll(cleanUp);

/** A sandbox with one payment, which is pending, and a COPY of its database. */
const origin = await startIn(newFolder());
const pendingId = await origin.pay({}, "manual");
const COPY = join(newFolder(), "copy");
copyDatabase(join(origin.at[1], "momo.db"), COPY, COPY);

/** A data directory with another database. */
async function otherData(): Promise<string> {
  const data = newFolder();
  (await openStoreWithMerchants(join(data, "momo.db"))).close();
  return data;
}

describe("momo import FILE puts it into the data directory", () => {
  test.concurrent("a server goes on with its keys and its pending prompt", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["import", COPY, "--data", data]);
    const { baseUrl, control } = await startIn(data);
    await control("POST", `/prompts/${pendingId}/answer`, { pin: "1234" });
    const list = await fetch(`${baseUrl}/transactions.php`, { headers: origin.headers });
    expect(await list.json()).toMatchObject({
      transactions: [{ checkout_request_id: pendingId, status: "completed" }],
    });
  });

  test.concurrent("without the webhooks that wait: a copy must not send them again", async () => {
    const { control, pay, at } = await startIn(newFolder());
    await control("PUT", "/webhook", { url: "http://127.0.0.1:1/", delay: "1h" });
    await pay({}, "completed; after=0ms");
    await until(async () => ((await control("GET", "/webhook")).deliveries as unknown[]).length === 1);
    const [copy, data] = [join(newFolder(), "copy"), join(newFolder(), "data")];
    copyDatabase(join(at[1], "momo.db"), copy, copy);
    await runMomo(["import", copy, "--data", data]);
    expect((await (await startIn(data)).control("GET", "/webhook")).deliveries).toEqual([]);
  });
});

describe("it refuses, and changes nothing", () => {
  test.concurrent("a value that the API never stores, and leaves no new folder", async () => {
    const [file, data] = [join(newFolder(), "forged"), join(newFolder(), "data")];
    copyFileSync(COPY, file);
    const database = new Database(file);
    database.run("PRAGMA ignore_check_constraints = ON");
    database.run("UPDATE merchants SET created_at_ms = 253402300800000");
    database.close();
    const { exitCode, stderr } = await runMomo(["import", file, "--data", data]);
    const rule = "row 1 of merchants: CHECK constraint failed: created_at_ms must be";
    expect(stderr).toStartWith(`momo: ${file} holds what momo never stores: ${rule}`);
    expect(exitCode).toBe(1);
    expect(existsSync(data)).toBe(false);
  });

  test.concurrent("Ctrl+C while it reads: no draft is left", async () => {
    const data = await otherData();
    const before = readFileSync(join(data, "momo.db"));
    const child = startMomo(["import", "-", "--replace", "--data", data], { stdin: null });
    await child.say(readFileSync(COPY).subarray(0, 4096));
    const drafts = () => readdirSync(data).filter((name) => name.endsWith(".tmp"));
    await until(drafts, ({ length }) => length === 1);
    child.signal("SIGINT");
    expect(await child.exited).toBe(130);
    expect(drafts()).toEqual([]);
    expect(readFileSync(join(data, "momo.db")).equals(before)).toBe(true);
  });

  test.concurrent("a signal while SQL blocks the thread ends it at once", async () => {
    const signals = JSON.stringify(join(ROOT, "cli/terminal/signals.ts"));
    const program = `import { atTheEnd, whileBlocked } from ${signals};
      atTheEnd(() => {});
      whileBlocked(() => { console.log("blocked"); for (;;); });`;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
    for await (const _ of child.stdout) child.kill("SIGTERM");
    await child.exited;
    expect(child.signalCode).toBe("SIGTERM");
  });
});

function idsIn(copy: string): Set<number> {
  const database = new Database(copy, { readonly: true });
  const rows = database.query<{ id: number }, []>("SELECT id FROM transactions").all();
  database.close();
  return new Set(rows.map(({ id }) => id));
}

test.concurrent("a copy that is made while a server accepts payments has every payment that was answered before", async () => {
  const server = await serveMomo();
  const order = { payment_account_id: 1, phone: "0712345678", amount: 5 };
  const folder = newFolder();
  const answered: number[] = [];
  let isPaying = true;
  const payers = Array.from({ length: 4 }, async () => {
    while (isPaying) {
      const answer = (await (await server.post("/stkpush.php", order)).json()) as { transaction_id: number };
      answered.push(answer.transaction_id);
    }
  });
  for (const name of ["1", "2", "3"]) {
    const before = [...answered];
    const file = join(folder, name);
    const { exitCode, stdout, stderr } = await runMomo(["export", file, ...server.at, "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const ids = idsIn(file);
    for (const id of before) expect(ids.has(id)).toBe(true);
    const contents = { schema: KNOWN_SCHEMA, merchants: 1, transactions: ids.size };
    expect(JSON.parse(stdout)).toEqual({ file, bytes: statSync(file).size, ...contents });
  }
  isPaying = false;
  await Promise.all(payers);
  expect(readdirSync(folder).sort()).toEqual(["1", "2", "3"]);
  expect(readFileSync(join(folder, "3")).includes(server.ready.api_secret)).toBe(false);
});

test.concurrent("- is standard output, but not on a terminal", async () => {
  const { screen, exited } = openMomo(["export", "-", "--data", await otherData()]);
  expect(await exited).toBe(2);
  expect(screen.text).toContain("name a file");
});

const replace = (data: string, ...flags: string[]) => runMomo(["import", COPY, "--replace", "--data", data, ...flags]);

/** A data directory as a killed server leaves it: its five payments are in the log beside the database. */
async function leftByKilledServer() {
  const [file, data] = [join(newFolder(), "momo.db"), newFolder()];
  const store = await openStoreWithMerchants(file);
  const ids: string[] = [];
  for (let count = 1; count <= 5; count++) ids.push((await insertPending(store)).checkoutRequestId);
  for (const part of ["", "-wal"]) copyFileSync(file + part, join(data, `momo.db${part}`));
  store.close();
  expect(statSync(join(data, "momo.db-wal")).size).toBeGreaterThan(0);
  return { data, file: join(data, "momo.db"), ids };
}

async function expectAllThere(file: string, ids: readonly string[]): Promise<void> {
  const store = openStore(file);
  for (const id of ids) expect(await store.transactions.findByCheckoutRequestId(id)).not.toBeNull();
  store.close();
}

test.concurrent("import --replace keeps only the copy's payments; new numbers follow those of a killed server's log", async () => {
  const { data } = await leftByKilledServer();
  expect(await replace(data)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("replaced") });
  const { control, pay, list } = await startIn(data);
  expect(await control("GET", "/transactions?merchant_id=1")).toMatchObject({ transactions: [{ id: 1 }] });
  await pay();
  expect(await list()).toMatchObject([{ id: 6 }, { id: 1 }]);
});

describe("credentials.json has a key of the new database, or the command warns", () => {
  test.concurrent("a copy of the same database: no warning, and the server keeps the key", async () => {
    const { at, headers, stop } = await startIn(newFolder());
    const here = join(newFolder(), "copy");
    copyDatabase(join(at[1], "momo.db"), here, here);
    await stop();
    const { stdout } = await runMomo(["import", here, "--replace", "--json", ...at]);
    expect(JSON.parse(stdout)).toMatchObject({ replaced: true, credentials: "same" });
    expect((await startIn(at[1])).headers).toEqual(headers);
  });

  test.concurrent("a copy of another database: a warning, and the server makes a new key", async () => {
    const { at, headers, stop } = await startIn(newFolder());
    await stop();
    expect((await replace(at[1])).stderr).toContain("credentials.json has no key of this database");
    const again = await startIn(at[1]);
    expect(again.headers).not.toEqual(headers);
    expect(await again.list()).toHaveLength(1);
  });
});

describe("an import --replace that fails changes nothing", () => {
  testWithMounts("momo.db is mounted by itself, as in a container", async () => {
    const { data, file, ids } = await leftByKilledServer();
    const command = [...PROGRAM, "import", COPY, "--replace", "--data", data].map((word) => `'${word}'`).join(" ");
    const imported = await runToEnd(afterMounts([`mount --bind ${file} ${file}`], command));
    expect(imported).toMatchObject({ stdout: "", exitCode: 1 });
    expect(imported.stderr).toStartWith(`momo: ${file} cannot be replaced, and is as it was: it is a mount by itself`);
    expect(imported.stderr).toContain("mount the folder");
    expect(readdirSync(data).filter((entry) => entry.includes(".tmp"))).toEqual([]);
    await expectAllThere(file, ids);
  });

  test.concurrent("the rename fails", async () => {
    const { file, ids } = await leftByKilledServer();
    const draft = newFolder(); // a folder cannot be renamed onto a file, on any system
    expect(() => putInPlace(draft, file)).toThrow(`${file} cannot be replaced, and is as it was`);
    await expectAllThere(file, ids);
  });

  test.concurrent("the rename fails, and the database is damaged: its log stays beside it", () => {
    const data = damagedWithLog();
    const [file, draft] = [join(data, "momo.db"), join(data, "folder")];
    const log = readFileSync(`${file}-wal`);
    mkdirSync(draft);
    expect(() => putInPlace(draft, file)).toThrow("cannot be replaced");
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
    expect(readdirSync(data).filter((entry) => entry.includes("-old-"))).toEqual([]);
  });

  test.concurrent("another program has the database open", async () => {
    const data = newFolder();
    const file = join(data, "momo.db");
    const store = await openStoreWithMerchants(file, 2);
    const draft = join(data, "draft");
    copyFileSync(COPY, draft);
    expect(() => putInPlace(draft, file)).toThrow("locked");
    expect(await store.merchants.listMerchants()).toHaveLength(2);
    store.close();
    expect(existsSync(draft)).toBe(true);
  });
});

/** A log with writes in it, beside a damaged database to which they cannot be applied. */
function damagedWithLog(): string {
  const data = newFolder();
  const [source, file] = [join(newFolder(), "source"), join(data, "momo.db")];
  const client = new Database(source);
  client.run("PRAGMA journal_mode = WAL");
  client.run("CREATE TABLE payments (id INTEGER PRIMARY KEY, note TEXT)");
  for (let id = 1; id <= 100; id += 1) client.run("INSERT INTO payments VALUES (?, ?)", [id, "a payment ".repeat(200)]);
  client.run("PRAGMA wal_checkpoint(TRUNCATE)"); // from here on the log does not hold the first page
  client.run("UPDATE payments SET note = 'paid' WHERE id = 5");
  copyFileSync(`${source}-wal`, `${file}-wal`);
  client.close();
  // Its first bytes say that it is momo's.
  writeFileSync(file, Buffer.concat([readFileSync(COPY).subarray(0, 72), Buffer.from("wreck".repeat(2000))]), {
    mode: 0o600,
  });
  return data;
}

test.concurrent("the log of a damaged database is not applied to the new one", async () => {
  const data = damagedWithLog();
  expect(await replace(data)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("may be used again") });
  expect(readdirSync(data).filter((entry) => /wal|journal|tmp/.test(entry))).toEqual([]);
  const store = openStore(join(data, "momo.db"));
  expect(await store.merchants.listMerchants()).toMatchObject([{ name: "Demo Shop" }]);
  store.close();
});
