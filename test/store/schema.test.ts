import { expect, test } from "bun:test";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { MAX_NUMBER } from "../../src/domain/identifiers.ts";
import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { ROW } from "../../src/store/rows.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { blockTotals, transactions } from "../../src/store/sqlite/tables.ts";
import { useFolder } from "../support/cleanup.ts";

const inFolder = useFolder();

test("a row that is read has every column but the one that only the search needs", () => {
  const { client, close } = openDatabase(inFolder("momo.db"));
  const columns = client.query<{ name: string }, []>("PRAGMA table_info(transactions)").all();
  const names = columns.map(({ name }) => name).filter((name) => name !== "reference_folded");
  expect(client.query(`SELECT ${ROW} FROM transactions`).columnNames.toSorted()).toEqual(names.toSorted());
  close();
});

test("codes are the places of the words, and the CHECKs know as many; numbers end where identifiers do", () => {
  const { client, close } = openDatabase(inFolder("momo.db"));
  const sql = String(client.query("SELECT sql FROM sqlite_schema WHERE name = 'transactions'").values()[0]?.[0]);
  expect(sql).toContain(`kind BETWEEN 0 AND ${KINDS.length - 1}`);
  expect(sql).toContain(`status BETWEEN 0 AND ${STATUSES.length - 1}`);
  expect(sql).toContain(`id BETWEEN 1 AND ${MAX_NUMBER}`);
  expect(STATUSES.slice(0, 2)).toEqual(["pending", "completed"]);
  close();
});

test.each([transactions, blockTotals])("what drizzle knows of a table is there", (table) => {
  const { client, close } = openDatabase(inFolder("momo.db"));
  const { name, columns } = getTableConfig(table);
  const there = client.query<{ name: string; type: string; pk: number }, []>(`PRAGMA table_info(${name})`).all();
  for (const column of columns) {
    expect(there).toContainEqual(
      expect.objectContaining({ name: column.name, type: column.getSQLType().toUpperCase() }),
    );
  }
  close();
});

test("every table is STRICT: a column holds no other type", () => {
  const { client, close } = openDatabase(inFolder("momo.db"));
  for (const { name, strict } of client
    .query<{ name: string; strict: number }, []>("PRAGMA main.table_list")
    .all()
    .filter((table) => !table.name.startsWith("sqlite_"))) {
    expect([name, strict]).toEqual([name, 1]);
  }
  close();
});
