import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMemo } from "../../sandbox/network/script.ts";
import { MAX_ID } from "../../src/store/sqlite/bounds.ts";
import { LAST_UNRELEASED } from "../../src/store/sqlite/migrations.ts";
import { admitCopy, copyDatabase, inspectCopy, inspectDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { startIn } from "../support/sandbox.ts";
import { identified } from "../support/shop.ts";

afterAll(cleanUp);

/** What `momo import` accepts. These tests call its two checks; copies.test.ts runs the command. */

/** A copy with a payment that is pending, one that has completed, and one that has failed. */
const copy = await (async () => {
  const { at, pay, control } = await startIn(newFolder());
  await pay({ reference: "ORDER-1", description: "Ätna 🌋" }, "manual");
  await pay({ reference: "straße ﬁ 🌋" }, "completed; after=0ms");
  await pay({ reference: "".padEnd(100, "🌋") }, "cancelled; after=0ms");
  await control("POST", "/clock", { advance: "1s" });
  const file = join(newFolder(), "copy");
  copyDatabase(join(at[1], "momo.db"), file, file);
  return file;
})();

/** The copy after some SQL that momo's own rules may forbid. */
function changed(...statements: string[]): string {
  const file = join(newFolder(), "changed");
  copyFileSync(copy, file);
  const client = new Database(file);
  client.run("PRAGMA foreign_keys = OFF");
  client.run("PRAGMA ignore_check_constraints = ON");
  const select = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
  const triggers = client.query<{ name: string; sql: string }, []>(select).all();
  for (const { name } of triggers) client.run(`DROP TRIGGER ${name}`);
  for (const statement of statements) client.run(statement);
  for (const { sql } of triggers) client.run(sql);
  client.close();
  return file;
}

/** SQLite makes no table of such a name, but its bytes can be written. */
function withTableOfSqlite(name: string, columns: string): string {
  const file = changed(`CREATE TABLE ${name.replace("sqlite", "sqlxte")}(${columns})`);
  writeFileSync(file, readFileSync(file).toString("latin1").replaceAll("sqlxte", "sqlite"), "latin1");
  return file;
}

function check(file: string) {
  const contents = inspectCopy(file, "the copy");
  admitCopy(file, "the copy", isMemo);
  return contents;
}

/** Why a file is refused. */
function refusalOf(file: string): string {
  try {
    check(file);
  } catch (error) {
    if (error instanceof UnusableDatabase) return error.message;
    throw error;
  }
  return "not refused";
}

const pending = (change: string) => `UPDATE transactions SET ${change} WHERE status = 0`;
const paid = (change: string) => `UPDATE transactions SET ${change} WHERE status = 1`;
const INT64 = "9223372036854775807";
const TOO_LATE = "253402300800000"; // the year 10000

const upTo = (most: number) => `WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < ${most})`;
const KEYS_OF_1 = "INSERT INTO api_keys SELECT v + 1, 'mk_' || printf('%020d', v), zeroblob(32), 1, 'A', 1";

/** Rows that the API would never store, and the message of each refusal. */
const FORGED: readonly (readonly [sql: string, refusal: string])[] = [
  [pending(`id = ${MAX_ID + 1}`), `transactions.id is ${MAX_ID + 1}, and must be from 1 to ${MAX_ID}`],
  [pending(`id = ${INT64}`), `transactions.id is ${INT64}`],
  [pending("id = -5"), "transactions.id is -5"],
  [pending(`amount_cents = ${INT64}`), `amount_cents is ${INT64}, and must be from 100 to 99999999999`],
  [pending("phone = 712345678"), "transactions.phone is 712345678, and must be 254 and 9 digits"],
  ["UPDATE transactions SET status = 9 WHERE status = 3", "transactions.status is 9, and must be from 0 to 4"],
  ["UPDATE payment_accounts SET fee_basis_points = 10001", "payment_accounts.fee_basis_points is 10001"],
  [`INSERT INTO merchants VALUES (${INT64}, 'Other', 1)`, "merchants.id is"],
  [`INSERT INTO payment_accounts VALUES (${INT64}, 1, 'A', 0, 0, 1)`, "payment_accounts.id is"],
  [pending("expires_at_ms = created_at_ms + 86400001"), "and must be at most a day after created_at_ms"],
  [
    pending(`created_at_ms = ${TOO_LATE}, expires_at_ms = ${TOO_LATE} + 1, check_at_ms = ${TOO_LATE} + 1`),
    `transactions.created_at_ms is ${TOO_LATE}`,
  ],
  [pending("created_at_ms = -1, expires_at_ms = 5, check_at_ms = 5"), "transactions.created_at_ms is -1"],
  [paid(`completed_at_ms = ${TOO_LATE}`), `transactions.completed_at_ms is ${TOO_LATE}`],
  [pending("check_at_ms = -1"), "transactions.check_at_ms is -1"],
  [pending(`fee_cents = ${INT64}`), `transactions.fee_cents is ${INT64}`],
  [`UPDATE transactions SET result_code = ${INT64} WHERE status = 3`, "transactions.result_code is"],
  [`UPDATE merchants SET created_at_ms = ${TOO_LATE}`, "merchants.created_at_ms is"],
  ["UPDATE payment_accounts SET created_at_ms = -1", "payment_accounts.created_at_ms is -1"],
  [`UPDATE api_keys SET revoked_at_ms = ${TOO_LATE}`, "api_keys.revoked_at_ms is"],
  ["UPDATE merchants SET name = 'Duka' || char(10) || 'X'", "merchants.name is"],
  ["UPDATE payment_accounts SET name = char(27) || '[31m'", "payment_accounts.name is"],
  ["UPDATE merchants SET name = printf('%0101d', 1)", "merchants.name is '000"],
  ["UPDATE api_keys SET label = 'a' || char(0) || 'b'", "api_keys.label is"],
  [pending("reference = 'a' || char(0) || hex(zeroblob(5000))"), "transactions.reference is"],
  [pending("description = 'a' || char(0) || hex(zeroblob(5000))"), "transactions.description is"],
  [pending("reference = CAST(x'41ff42' AS TEXT)"), "transactions.reference is x'41ff42', and must be UTF-8 (row 1)"],
  [
    pending("description = CAST(x'eda080' AS TEXT)"),
    "transactions.description is x'eda080', and must be UTF-8 (row 1)",
  ],
  [pending("reference = CAST(x'4100ff' AS TEXT)"), "transactions.reference is x'4100ff', and must be UTF-8 (row 1)"],
  ["UPDATE merchants SET name = CAST(x'c3' AS TEXT)", "merchants.name is x'c3', and must be UTF-8 (row 1)"],
  [paid("completed_at_ms = created_at_ms - 1"), "completed_at_ms must not be before created_at_ms (row 2)"],
  [pending("reference_folded = 'OTHER'"), "transactions.reference_folded is 'OTHER'"],
  [pending("secret = 'ABCDEFGHIJKL'"), "transactions.secret is 'ABCDEFGHIJKL'"],
  [paid("receipt_number = printf('%0101d', 1)"), "transactions.receipt_number is"],
  [
    "UPDATE transactions SET result_code = 4711 WHERE status = 3",
    "transactions.result_desc is NULL, and must be set, because 4711 has no standard text",
  ],
  [`UPDATE numbering SET last_forgotten = ${INT64}`, `numbering.last_forgotten is ${INT64}`],
  ["DELETE FROM numbering", "there are 1 databases without a key for request ids; at most 0 are allowed"],
  [paid("check_at_ms = created_at_ms"), "transactions: only pending payments are checked (row 2)"],
  [pending("memo = hex(zeroblob(5000))"), "transactions.memo is"],
  [pending("memo = printf('%0999d', 1)"), "transactions.memo is '000"],
  [pending("memo = 'nonsense 12'"), "transactions.memo is 'nonsense 12', and must be a memo of a provider"],
  [pending("memo = 'manual 1790000000000 default'"), "transactions.memo is 'manual 1790000000000 default'"],
  [paid("memo = 'completed 9e99'"), "transactions.memo is 'completed 9e99'"],
  [
    "UPDATE payment_accounts SET name = CAST(x'c3' AS TEXT)",
    "payment_accounts.name is x'c3', and must be UTF-8 (row 1)",
  ],
  ["UPDATE api_keys SET label = CAST(x'c3' AS TEXT)", "api_keys.label is x'c3', and must be UTF-8 (row 1)"],
  [
    `${upTo(10_000)} INSERT INTO merchants SELECT v + 1, 'A', 1 FROM n`,
    "there are 10001 merchants; at most 10000 are allowed",
  ],
  [`${upTo(1000)} ${KEYS_OF_1}, NULL FROM n`, "there are 1001 keys in force of a merchant; at most 1000 are allowed"],
  [`${upTo(1001)} ${KEYS_OF_1}, 5 FROM n`, "there are 1001 revoked keys of a merchant; at most 1000 are allowed"],
  [
    "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 1000) INSERT INTO payment_accounts SELECT v + 1, 1, 'A', 0, 0, 1 FROM n",
    "there are 1001 payment accounts of a merchant; at most 1000 are allowed",
  ],
];

test.each(FORGED)("an import is as strict as the API: %s", (sql, refusal) => {
  const message = refusalOf(changed(...sql.split(";")));
  expect(message).toStartWith("the copy holds what momo never stores: ");
  expect(message).toContain(refusal);
  expect(message.length).toBeLessThan(200);
});

test("as many accounts and keys as each merchant can have are accepted", () => {
  const file = changed(
    "INSERT INTO merchants VALUES (2, 'Other', 1)",
    `${upTo(999)} INSERT INTO payment_accounts SELECT v + 1, 1, 'A', 0, 0, 1 FROM n`,
    "INSERT INTO payment_accounts VALUES (2000, 2, 'A', 0, 0, 1)",
    `${upTo(1999)} ${KEYS_OF_1}, iif(v > 999, 5, NULL) FROM n`,
    "INSERT INTO api_keys VALUES (3000, 'mk_other', zeroblob(32), 2, 'A', 1, NULL)",
  );
  expect(refusalOf(file)).toBe("not refused");
});

test("a payment may complete in the millisecond of its start", () => {
  expect(refusalOf(changed(paid("completed_at_ms = created_at_ms")))).toBe("not refused");
});

test("a copy with the samples that other builds of SQLite keep for their query planner is accepted", () => {
  const columns = "tbl,idx,neq,nlt,ndlt,sample";
  expect(refusalOf(withTableOfSqlite("sqlite_stat4", columns))).toBe("not refused");
});

test("a copy of the schema before is accepted", () => {
  const file = changed("DROP TABLE deliveries", `PRAGMA user_version = ${LAST_UNRELEASED + 1}`);
  expect(refusalOf(file)).toBe("not refused");
});

describe("a database that is not exactly momo's is refused", () => {
  test.each([
    ["PRAGMA user_version = 99", "was written by a newer momo (schema 99"],
    ["PRAGMA application_id = 1", "is not a database of momo's"],
    ["CREATE TABLE plain (a)", "is not a database of momo's"],
    [
      "INSERT INTO payment_accounts VALUES (9, 99, 'Stray', 0, 0, 1)",
      "row 9 of payment_accounts refers to one of merchants",
    ],
    [
      `INSERT INTO merchants VALUES (2, 'Other', 1); ${pending("merchant_id = 2")}`,
      "row 1 of transactions refers to one of payment_accounts that is not there",
    ],
    [`${pending("number = 2")}`, "there are 1 transactions with the number of another one"],
    ["CREATE TRIGGER planted AFTER INSERT ON merchants BEGIN DELETE FROM api_keys; END", "is not a database of momo's"],
  ])("%s", (sql, refusal) => {
    expect(refusalOf(changed(...sql.split(/; (?=UPDATE)/)))).toContain(refusal);
  });

  test("one without one of momo's triggers", () => {
    const file = changed();
    const client = new Database(file);
    client.run("DROP TRIGGER transactions_final_rows_never_change");
    client.close();
    expect(refusalOf(file)).toBe("the copy is not a database of momo's");
  });

  test("one with damage deep inside", () => {
    const file = changed();
    const whole = readFileSync(file);
    writeFileSync(file, Buffer.concat([whole.subarray(0, -4096), Buffer.alloc(4096, 0xa5)]));
    expect(refusalOf(file)).toContain("is damaged");
  });

  test.each([
    ["sqlite_planted", "a"],
    ["sqlite_stat1", "tbl, idx, stat, more"],
    ["sqlite_sequence", "name,seq"],
  ])("one with a table %s", (name, columns) => {
    expect(refusalOf(withTableOfSqlite(name, columns))).toBe("the copy is not a database of momo's");
  });
});

describe("values that momo computes from the rows are computed again", () => {
  test("totals", () => {
    const file = changed(
      "UPDATE totals SET count = 1000000, amount_cents = 7 WHERE bits = 0",
      "INSERT INTO totals VALUES (1, 0, 20000, 0, 1, 5, 5), (99, 0, 1, 0, 0, 1, 1)",
      "DELETE FROM totals WHERE bits = 17",
      "INSERT INTO totals VALUES (1, 11, 4711, 0, 1, 3, 3)",
    );
    expect(inspectDatabase(file)).toMatchObject({ totals: false });
    check(file);
    expect(inspectDatabase(file)).toMatchObject({ totals: true });
  });

  test("the statistics of SQLite's query planner", () => {
    const file = changed("ANALYZE", "UPDATE sqlite_stat1 SET stat = '1 1 1 1 1'", "ANALYZE sqlite_schema");
    check(file);
    const client = new Database(file, { readonly: true });
    expect(client.query("SELECT * FROM sqlite_stat1 WHERE stat = '1 1 1 1 1'").values()).toEqual([]);
    client.close();
  });
});

test("the highest payment number is accepted, and the next payment still gets a number", async () => {
  const file = changed(pending(`id = ${MAX_ID}`));
  expect(check(file)).toMatchObject({ merchants: 1, transactions: 3 });
  const store = openStore(file);
  expect((await identified(store)).id).toBe(MAX_ID + 1);
  store.close();
});
