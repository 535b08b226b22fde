import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putInPlace } from "../../src/store/sqlite/replace.ts";
import { isRoot, run } from "../crash/mount.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { runMomo, type Served, serveMomo } from "../support/momo.ts";
import { openStoreWithMerchants } from "../support/shop.ts";

afterAll(cleanUp);

let copy: string;
beforeAll(async () => {
  const data = join(newFolder(), "data");
  await runMomo(["merchants", "create", "--name", "Copied", "--data", data]);
  copy = join(newFolder(), "copy");
  expect((await runMomo(["export", copy, "--data", data])).exitCode).toBe(0);
});

/** A server that was killed right after it answered so many payments, with their ids. */
async function killedAfter(payments: number): Promise<{ server: Served; ids: string[] }> {
  const server = await serveMomo();
  const ids: string[] = [];
  for (let count = 0; count < payments; count += 1) {
    const answer = await server.post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 5 });
    ids.push(((await answer.json()) as { checkout_request_id: string }).checkout_request_id);
  }
  await server.kill();
  expect(statSync(join(server.ready.data, "momo.db-wal")).size).toBeGreaterThan(0);
  return { server, ids };
}

async function expectAllThere(data: string, ids: readonly string[]): Promise<void> {
  const again = await serveMomo(["--data", data]);
  for (const id of ids) expect((await again.post("/status.php", { checkout_request_id: id })).status).toBe(200);
  await again.stop();
}

/** Makes a rename onto a file fail, as in a container into which the file alone is mounted. */
function mountOnItself(file: string): boolean {
  if (process.platform !== "linux" || !isRoot() || !run(["mount", "--bind", file, file])) return false;
  later(() => run(["umount", "--lazy", file]));
  return true;
}

const MOUNTS = (() => {
  const file = join(newFolder(), "probe");
  writeFileSync(file, "");
  return mountOnItself(file);
})();

describe("a failed import --replace changes nothing", () => {
  const name = "momo.db is mounted by itself, and its server was killed: every answered payment is still there";
  if (!MOUNTS) test(`${name}: left out, because nothing can be mounted here`, () => {});
  else {
    test.concurrent(name, async () => {
      const { server, ids } = await killedAfter(20);
      const { data } = server.ready;
      const file = join(data, "momo.db");
      expect(mountOnItself(file)).toBe(true);
      const imported = await runMomo(["import", copy, "--replace", "--data", data]);
      expect(imported).toMatchObject({ stdout: "", exitCode: 1 });
      expect(imported.stderr).toStartWith(`momo: ${file} cannot be replaced (EBUSY), and is as it was\n`);
      expect(imported.stderr).toContain("mount the folder");
      expect(readdirSync(data).filter((entry) => entry.includes(".tmp"))).toEqual([]);
      await expectAllThere(data, ids);
    });
  }

  test.concurrent("the same where a folder stands in the way of the rename", async () => {
    const { server, ids } = await killedAfter(5);
    const { data } = server.ready;
    const [file, draft] = [join(data, "momo.db"), join(newFolder(), "folder")];
    mkdirSync(draft); // a folder cannot be renamed onto a file, on any system
    expect(() => putInPlace(draft, file)).toThrow(`${file} cannot be replaced (ENOTDIR), and is as it was`);
    await expectAllThere(data, ids);
  });

  test.concurrent("a damaged database keeps its log, too", () => {
    const data = wreckWithLog();
    const [file, draft] = [join(data, "momo.db"), join(data, "folder")];
    const log = readFileSync(`${file}-wal`);
    mkdirSync(draft);
    expect(() => putInPlace(draft, file)).toThrow("cannot be replaced");
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
    expect(readdirSync(data).filter((entry) => entry.includes("-old-"))).toEqual([]);
  });

  test.concurrent("while another program has the database open", async () => {
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

/** A log with writes in it, beside a database of which nothing is left that could take them. */
function wreckWithLog(): string {
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

test("in the place of a damaged database with a log, the log does not come into the new one", async () => {
  const data = wreckWithLog();
  expect((await runMomo(["import", copy, "--replace", "--data", data])).exitCode).toBe(0);
  expect(readdirSync(data).filter((entry) => /wal|journal|tmp/.test(entry))).toEqual([]);
  const listed = await runMomo(["merchants", "list", "--json", "--data", data]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ merchants: [{ name: "Copied" }] });
});
