import { SQLiteError } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";

const at = useFolder();

test("SQLite's error of a disk that fails is explained with what helps; an error of the program is not", () => {
  const store = openStore(join(at(""), "momo.db"));
  const error = Object.assign(Object.create(SQLiteError.prototype), {
    name: "SQLiteError",
    code: "SQLITE_IOERR_WRITE",
  });
  expect(store.vitals.explain(error)).toEqual({
    reason: "the disk fails or is full (SQLITE_IOERR_WRITE)",
    advice: expect.stringMatching(/^check the disk of .*\/momo\.db$/),
  });
  expect(store.vitals.explain(new TypeError("x is not a function"))).toBeNull();
  store.close();
});
