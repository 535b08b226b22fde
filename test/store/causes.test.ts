import { SQLiteError } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { causeOf, helpFor } from "../../src/store/causes.ts";
import { attemptBeside } from "../../src/store/sqlite/attempt.ts";
import { explain, openStore } from "../../src/store/sqlite/sqlite.ts";
import { causeAt } from "../../src/store/wrong-path.ts";
import { useFolder } from "../support/cleanup.ts";

const inFolder = useFolder();

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
    ["SQLITE_CORRUPT", "damaged", "the database is damaged", "remove the -wal and -shm files beside the database"],
    ["SQLITE_NOTADB", "damaged", "the database is damaged", "remove the -wal and -shm files beside the database"],
  ] as const) {
    expect(vitals.engineFailureOf(errorOf(code))).toEqual({
      reason: `${reason} (${code})`,
      advice: expect.stringContaining(advice),
    });
    expect(explain(errorOf(code), file)).toMatchObject({ name: "UnusableDatabase", problem });
  }
  for (const other of [errorOf("SQLITE_CONSTRAINT"), new TypeError("x")])
    expect(vitals.engineFailureOf(other)).toBeNull();
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
