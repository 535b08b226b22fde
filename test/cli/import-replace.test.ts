import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putInPlace } from "../../src/store/sqlite/replace.ts";
import { copyDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, runToEnd } from "../support/momo.ts";
import { afterMounts, testWithMounts } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

afterAll(cleanUp);

/** A sandbox with one payment, and a copy of its database. */
const origin = await startIn(newFolder());
await origin.pay({ reference: "COPIED" });
const copy = join(newFolder(), "copy");
copyDatabase(join(origin.at[1], "momo.db"), copy, copy);

const replace = (data: string, ...flags: string[]) => runMomo(["import", copy, "--replace", "--data", data, ...flags]);

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
    const command = [...PROGRAM, "import", copy, "--replace", "--data", data].map((word) => `'${word}'`).join(" ");
    const imported = await runToEnd(afterMounts([`mount --bind ${file} ${file}`], command));
    expect(imported).toMatchObject({ stdout: "", exitCode: 1 });
    expect(imported.stderr).toStartWith(`momo: ${file} cannot be replaced (EBUSY), and is as it was\n`);
    expect(imported.stderr).toContain("mount the folder");
    expect(readdirSync(data).filter((entry) => entry.includes(".tmp"))).toEqual([]);
    await expectAllThere(file, ids);
  });

  test.concurrent("the rename fails", async () => {
    const { file, ids } = await leftByKilledServer();
    const draft = newFolder(); // a folder cannot be renamed onto a file, on any system
    expect(() => putInPlace(draft, file)).toThrow(`${file} cannot be replaced (ENOTDIR), and is as it was`);
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
    copyFileSync(copy, draft);
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
  writeFileSync(file, "wreck".repeat(2000));
  return data;
}

test.concurrent("the log of a damaged database is not applied to the new one", async () => {
  const data = damagedWithLog();
  expect((await replace(data)).exitCode).toBe(0);
  expect(readdirSync(data).filter((entry) => /wal|journal|tmp/.test(entry))).toEqual([]);
  const store = openStore(join(data, "momo.db"));
  expect(await store.merchants.listMerchants()).toMatchObject([{ name: "Demo Shop" }]);
  store.close();
});
