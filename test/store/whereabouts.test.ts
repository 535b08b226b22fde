import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { inspectDatabase, openStore, withCompanions } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/cleanup.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";
import { rejectionOf } from "../support/waiting.ts";

const inFolder = useFolder();

const folder = () => inFolder("data");
const file = () => join(folder(), "momo.db");
const aside = () => inFolder("aside");

async function openWithPayments() {
  mkdirSync(folder());
  const store = await openStoreWithMerchants(file());
  for (const _ of [1, 2]) await insertPending(store);
  expect([store.vitals.displaced(), store.vitals.fate()]).toEqual([null, null]);
  return store;
}

/** A folder with a database of another sandbox. */
function makeAnother(path: string): void {
  mkdirSync(path);
  openStore(join(path, "momo.db")).close();
}

const GONE = "the file of the database is gone";
const MOVED = () => `2 payments are kept in ${aside()}`;
const LOST = () => "2 payments are lost";
const ITS_PAYMENTS = () => "payments are lost, unless there is a copy";
const CUT_OFF = "the file of the database was cut off";

const CASES: [
  what: string,
  displace: (store: Store) => void,
  reason: string,
  fate: () => string,
  putBack: (() => void) | null,
][] = [
  ["the file is removed", () => rmSync(file()), GONE, LOST, null],
  [
    "all its files are removed",
    () => withCompanions(file()).forEach((path) => void rmSync(path, { force: true })),
    GONE,
    LOST,
    null,
  ],
  [
    "the folder is removed",
    () => rmSync(folder(), { recursive: true }),
    "the folder of the database is gone",
    LOST,
    null,
  ],
  ["the file is moved", () => renameSync(file(), aside()), GONE, MOVED, () => renameSync(aside(), file())],
  [
    "the folder is moved",
    () => renameSync(folder(), aside()),
    "the folder of the database is gone",
    () => `${MOVED()}/momo.db`,
    () => renameSync(aside(), folder()),
  ],
  [
    "a new folder is in the place of the moved one",
    () => {
      renameSync(folder(), aside());
      makeAnother(folder());
    },
    "another file is in the place of the database",
    () => `${MOVED()}/momo.db`,
    () => {
      rmSync(folder(), { recursive: true });
      renameSync(aside(), folder());
    },
  ],
  [
    "the log is moved",
    () => renameSync(`${file()}-wal`, aside()),
    "the log beside the database is gone",
    () => `2 payments are kept in ${file()}`,
    () => renameSync(aside(), `${file()}-wal`),
  ],
  ["the file is emptied", () => truncateSync(file()), CUT_OFF, LOST, null],
  ["the file is cut", () => truncateSync(file(), 8192), CUT_OFF, LOST, null],
  [
    "another database is written over the file",
    () => {
      makeAnother(aside());
      copyFileSync(join(aside(), "momo.db"), file());
    },
    "the file of the database was overwritten",
    ITS_PAYMENTS,
    null,
  ],
  [
    "an older copy is written over the file",
    ({ vitals }) => {
      copyFileSync(file(), aside());
      using other = new Database(file());
      other.run("PRAGMA wal_checkpoint(TRUNCATE)");
      expect(vitals.displaced()).toBeNull();
      copyFileSync(aside(), file());
    },
    "the file of the database was overwritten",
    ITS_PAYMENTS,
    null,
  ],
];

test.skipIf(process.platform === "win32").each(CASES)(
  "if %s, nothing is stored and the reason is told, until it is put back",
  async (_what, displace, reason, fate, putBack) => {
    const store = await openWithPayments();
    displace(store);
    const displaced = store.vitals.displaced();
    const refused = await rejectionOf(insertPending(store));
    expect(store.vitals.obstacle()).toBe(reason);
    for (const error of [displaced, refused]) {
      expect(store.vitals.troubleOf(error)).toEqual({ reason, advice: expect.stringContaining(file()) });
    }
    expect(store.vitals.fate()).toStartWith(`${reason}: its ${fate()}`);
    if (putBack) {
      putBack();
      expect(store.vitals.displaced()).toBeNull();
      await insertPending(store);
    }
    store.close();
    if (putBack) expect(inspectDatabase(file())).toMatchObject({ state: "sound" });
  },
);

test("without a look, a payment finds out itself that the file is gone", async () => {
  const store = await openWithPayments();
  rmSync(file());
  expect(await rejectionOf(insertPending(store))).toMatchObject({ name: "Displaced" });
  store.close();
});

test("a close removes no file of the database that is there now", async () => {
  for (const displace of [() => renameSync(folder(), aside()), () => rmSync(folder(), { recursive: true })]) {
    const store = await openWithPayments();
    displace();
    mkdirSync(folder());
    const other = await openStoreWithMerchants(file());
    store.close();
    expect(readdirSync(folder()).sort()).toEqual(["momo.db", "momo.db-shm", "momo.db-wal"]);
    other.close();
    rmSync(folder(), { recursive: true });
  }
});

test("a file that is cut off, and can be read no more, is named all the same", async () => {
  (await openWithPayments()).close();
  const { vitals, close } = openStore(file());
  expect(vitals.displaced()).toBeNull();
  truncateSync(file(), 3 * 4096);
  expect(vitals.displaced()?.message).toContain(CUT_OFF);
  expect(vitals.fate()).toBe(`${CUT_OFF}: its payments are lost, unless there is a copy`);
  close();
});
