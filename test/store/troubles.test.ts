import { SQLiteError } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";

const at = useFolder();

test("an error of SQLite is explained with what helps; an error of the program is not", () => {
  const file = join(at(""), "momo.db");
  const { vitals, close } = openStore(file);
  const explained = (code: string) =>
    vitals.explain(Object.assign(Object.create(SQLiteError.prototype), { name: "SQLiteError", code }));
  for (const [code, reason, advice] of [
    ["SQLITE_IOERR_WRITE", "the disk fails or is full", "check the disk of"],
    ["SQLITE_FULL", "the disk is full", "free some space on the disk of"],
    ["SQLITE_BUSY_SNAPSHOT", "another program has locked the database", "end the other program that writes to"],
    ["SQLITE_LOCKED", "another program has locked the database", "end the other program that writes to"],
    ["SQLITE_READONLY", "the database cannot be written", "give momo the right to write to"],
    ["SQLITE_CANTOPEN", "the database cannot be opened", "give momo the right to write to the folder of"],
    ["SQLITE_PERM", "the database cannot be written", "give momo the right to write to"],
    ["SQLITE_CORRUPT", "the database is damaged", "stop momo, and put a copy in the place of"],
    ["SQLITE_NOTADB", "the database is damaged", "stop momo, and put a copy in the place of"],
  ] as const) {
    expect(explained(code)).toEqual({ reason: `${reason} (${code})`, advice: `${advice} ${file}` });
  }
  expect(explained("SQLITE_CONSTRAINT")).toBeNull();
  expect(vitals.explain(new TypeError("x is not a function"))).toBeNull();
  close();
});
