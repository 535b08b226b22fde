import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { watchContents } from "../../src/store/sqlite/contents.ts";
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

function writeAnotherOver(): void {
  makeAnother(aside());
  copyFileSync(join(aside(), "momo.db"), file());
}

const GONE = "the file of the database is gone";
const MOVED = () => `2 payments are kept in ${aside()}`;
const LOST = () => "2 payments are lost";
const ITS_PAYMENTS = () => "payments are lost, unless there is a copy";
const CUT_OFF = "the file of the database was cut off";

type Case = [
  what: string,
  displace: (store: Store) => void,
  reason: string,
  fate: () => string,
  putBack: (() => void) | null,
];

const CASES: Case[] = [
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
    "the log is emptied",
    () => truncateSync(`${file()}-wal`),
    "the log beside the database was cut off",
    () => "newest payments are lost, unless there is a copy",
    null,
  ],
  [
    "another database is written over the file",
    writeAnotherOver,
    "the file of the database was overwritten",
    ITS_PAYMENTS,
    null,
  ],
  ...["TRUNCATE", "PASSIVE"].map(
    (checkpoint): Case => [
      `an older copy is written over the file after a checkpoint ${checkpoint}`,
      ({ vitals }) => {
        copyFileSync(file(), aside());
        using other = new Database(file());
        other.run(`PRAGMA wal_checkpoint(${checkpoint})`);
        expect(vitals.displaced()).toBeNull();
        copyFileSync(aside(), file());
      },
      "the file of the database was overwritten",
      ITS_PAYMENTS,
      null,
    ],
  ),
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

test("without a look, a payment finds out itself that the file is gone or another, or the log is cut off", async () => {
  for (const displace of [() => writeAnotherOver(), () => rmSync(file()), () => truncateSync(`${file()}-wal`, 8192)]) {
    const store = await openWithPayments();
    displace();
    expect(await rejectionOf(insertPending(store))).toMatchObject({ name: "Displaced" });
    store.close();
    rmSync(folder(), { recursive: true });
  }
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

test("a log that another process writes to, or empties, while it is looked at was not cut off", async () => {
  const store = await openWithPayments();
  const other = new Database(file());
  const log = () => statSync(`${file()}-wal`).size;
  const add = (name: string) => other.run("INSERT INTO merchants (name, created_at_ms) VALUES (?, 1)", [name]);
  const { isLogCut, close } = watchContents(other, file());
  /** @param before, after what another process does around the look at the size */
  const isCutBetween = (before: () => void, after = () => {}) =>
    isLogCut(() => {
      before();
      const size = log();
      after();
      return size;
    });
  add("first");
  expect(isLogCut(() => 0)).toBeTrue();
  expect(isCutBetween(() => add("before"))).toBeFalse();
  expect(
    isCutBetween(
      () => {},
      () => add("after"),
    ),
  ).toBeFalse();
  expect(isCutBetween(() => other.run("PRAGMA wal_checkpoint(TRUNCATE)"))).toBeFalse();
  expect(log()).toBe(0);
  other.close(true);
  close();
  store.close();
});
