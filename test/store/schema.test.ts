import { expect, test } from "bun:test";
import { getTableColumns } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import * as schema from "../../src/store/sqlite/schema.ts";
import { ROW } from "../../src/store/sqlite/transactions.ts";
import { useFolder } from "../support/folder.ts";

const inFolder = useFolder();
const tables = Object.values(schema).filter((member) => member instanceof SQLiteTable);

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

test("the rows of transactions.ts have every column, by the schema's names", () => {
  const { client, close } = openDatabase(inFolder("momo.db"));
  expect(client.query(`SELECT ${ROW} FROM transactions`).columnNames).toEqual(
    Object.keys(getTableColumns(schema.transactions)),
  );
  close();
});

test.each(tables.map((table) => getTableConfig(table)))(
  "schema.ts and the migrations agree on the columns of $name",
  ({ name, columns }) => {
    const { client, close } = openDatabase(inFolder("momo.db"));
    const inDatabase = client.query<Column, []>(`PRAGMA table_info(${name})`).all();
    const said = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notnull: column.notNull,
    }));
    // An INTEGER PRIMARY KEY is never null, although SQLite does not say so.
    const found = inDatabase.map((column) => ({
      name: column.name,
      type: column.type,
      notnull: column.notnull === 1 || (column.pk === 1 && column.name === "id"),
    }));
    expect(said).toEqual(found);
    close();
  },
);

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
