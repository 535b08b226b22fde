import { Database, SQLiteError } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { causeAt, causeOf, helpFor } from "../../src/store/causes.ts";
import { attemptBeside } from "../../src/store/sqlite/attempt.ts";
import { explain, inspectDatabase, openStore, withCompanions } from "../../src/store/sqlite/sqlite.ts";
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

test("an error of SQLite is explained, at the start and later, with what helps; an error of the program is not", () => {
  const file = inFolder("momo.db");
  const { vitals, close } = openStore(file);
  const errorOf = (code: string) => Object.assign(Object.create(SQLiteError.prototype), { name: "SQLiteError", code });
  for (const [code, problem, reason, advice] of [
    ["SQLITE_IOERR_WRITE", "unwritable", "the disk fails", "check that disk"],
    ["SQLITE_FULL", "unwritable", "the disk is full", "free some space on that disk"],
    ["SQLITE_BUSY_SNAPSHOT", "locked", "another program has locked the database", "end that program"],
    ["SQLITE_LOCKED", "locked", "another program has locked the database", "end that program"],
    ["SQLITE_PROTOCOL", "unwritable", "the file system has no file locks", "use a folder on a local disk"],
    [
      "SQLITE_IOERR_FSYNC",
      "unwritable",
      "the file system cannot flush data to the disk",
      "use a folder on a local disk",
    ],
    ["SQLITE_READONLY", "unwritable", "this user has no right to it", "give this user the right"],
    ["SQLITE_CORRUPT", "damaged", "the database is damaged", "stop momo, and put a copy in its place"],
    ["SQLITE_NOTADB", "damaged", "the database is damaged", "stop momo, and put a copy in its place"],
  ] as const) {
    expect(vitals.troubleOf(errorOf(code))).toEqual({
      reason: `${reason} (${code})`,
      advice: expect.stringContaining(advice),
    });
    expect(explain(errorOf(code), file)).toMatchObject({ name: "UnusableDatabase", problem });
  }
  for (const other of [errorOf("SQLITE_CONSTRAINT"), new TypeError("x")]) expect(vitals.troubleOf(other)).toBeNull();
  close();
});

test.each([
  ["ENOSPC", "write", "the disk is full (ENOSPC)", "free some space on that disk, or X"],
  [
    "EPERM",
    "chmod",
    "the file system keeps no file modes, so others could read it (EPERM)",
    /with this user as the owner/,
  ],
  ["EPERM", "open", "the system does not permit it (EPERM)", /protection/],
  ["EINVAL", "fsync", "the file system cannot flush data to the disk (EINVAL)", /local disk/],
  ["ENAMETOOLONG", "open", "the name is too long (ENAMETOOLONG)", "shorten it, or X"],
  ["EMFILE", "open", "this process has too many open files (EMFILE)", /ulimit -n/],
])("%s of %s has a sentence of its own, and what helps", (code, syscall, reason, help) => {
  const cause = causeOf({ code, syscall });
  expect(cause?.reason).toBe(reason);
  expect(helpFor(cause, "X")).toMatch(help);
});

test("behind a vague error of SQLite, an attempt finds that of the system; without one the error itself counts", () => {
  const error = { code: "SQLITE_CANTOPEN" };
  expect(causeOf(error, () => ({ code: "EROFS" }))?.reason).toBe(
    "the file system is read-only (SQLITE_CANTOPEN, EROFS)",
  );
  expect(causeOf(error, () => null)?.reason).toBe("it, or a file beside it, cannot be opened (SQLITE_CANTOPEN)");
  expect(causeOf({ code: "SQLITE_BUSY" }, () => ({ code: "ENOLCK" }))?.name).toBe("ENOLCK");
  for (const other of [{ code: "SQLITE_CONSTRAINT" }, { code: "ECONNREFUSED" }, new Error("x"), null, undefined])
    expect(causeOf(other)).toBeNull();
  expect(attemptBeside(inFolder("momo.db"))).toBeNull();
  expect(attemptBeside(inFolder("none/momo.db"))).toMatchObject({ code: "ENOENT" });
  expect(readdirSync(inFolder(""))).toEqual([]);
});

test("the wrong part of a path is named", () => {
  writeFileSync(inFolder("file"), "");
  mkdirSync(inFolder("folder"));
  symlinkSync("nowhere", inFolder("dangling"));
  symlinkSync("circle", inFolder("circle"));
  for (const [path, code, says] of [
    ["file", "EEXIST", `${inFolder("file")} is not a folder (EEXIST)`],
    ["file/sub/data", "ENOTDIR", `${inFolder("file")} is not a folder (ENOTDIR)`],
    ["none/sub/r.xml", "ENOENT", `${inFolder("none")} does not exist (ENOENT)`],
    ["dangling", "EEXIST", `${inFolder("dangling")} is a link to nowhere, which is not there (EEXIST)`],
    ["dangling/data", "ENOENT", `${inFolder("dangling")} is a link to nowhere, which is not there (ENOENT)`],
    ["circle/data", "ELOOP", `${inFolder("circle")} is a link that leads in a circle (ELOOP)`],
    ["folder/data", "ENOENT", "there is no such file or folder (ENOENT)"],
  ] as const)
    expect(causeAt(inFolder(path), { code })?.reason).toBe(says);
});
