import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMemo } from "../../sandbox/network/script.ts";
import { visible } from "../../src/domain/visible.ts";
import { MAX_ID } from "../../src/store/sqlite/import-rules.ts";
import { LAST_UNRELEASED } from "../../src/store/sqlite/migrations.ts";
import { copyDatabase, inspectDatabase, openStore, readRows, writeRows } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { startIn } from "../support/sandbox.ts";
import { identified } from "../support/shop.ts";

afterAll(cleanUp);

/** What `momo import` accepts. These tests call the two functions of it; copies.test.ts runs the command. */

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

const take = (file: string, to = join(newFolder(), "taken")) =>
  writeRows(to, readRows(file, "the copy"), "the copy", isMemo);

async function refusalOf(file: string): Promise<string> {
  try {
    await take(file);
  } catch (error) {
    if (error instanceof UnusableDatabase) return error.message;
    throw error;
  }
  return "not refused";
}

const pending = (change: string) => `UPDATE transactions SET ${change} WHERE status = 0`;
const paid = (change: string) => `UPDATE transactions SET ${change} WHERE status = 1`;
const INT64 = "9223372036854775807";

const upTo = (most: number) => `WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < ${most})`;
const KEYS_OF_1 = "INSERT INTO api_keys SELECT v + 1, 'mk_' || printf('%020d', v), zeroblob(32), 1, 'A', 1";

/** Rows that the API would never store, one for each way to find them: store/rules.test.ts breaks every CHECK. */
const FORGED: readonly (readonly [sql: string, refusal: string])[] = [
  [pending(`id = ${MAX_ID + 1}`), "row 10000000001 of transactions: id must be from 1 to 10000000000"],
  [pending(`id = ${INT64}`), "row 9223372036854776000 of transactions: datatype mismatch"],
  [
    pending(`amount_cents = ${INT64}`),
    "row 1 of transactions: cannot store REAL value in INTEGER column transactions.amount_cents",
  ],
  [pending("phone = 712345678"), "row 1 of transactions: CHECK constraint failed: phone must be 254 and 9 digits"],
  [pending("reference = CAST(x'41ff42' AS TEXT)"), "row 1 of transactions: reference must be UTF-8"],
  [pending("description = CAST(x'eda080' AS TEXT)"), "row 1 of transactions: description must be UTF-8"],
  ["UPDATE merchants SET name = CAST(x'c3' AS TEXT)", "row 1 of merchants: name must be UTF-8"],
  ["UPDATE payment_accounts SET name = CAST(x'c3' AS TEXT)", "row 1 of payment_accounts: name must be UTF-8"],
  ["UPDATE api_keys SET label = CAST(x'c3' AS TEXT)", "row 1 of api_keys: label must be UTF-8"],
  [
    paid("completed_at_ms = created_at_ms - 1"),
    "row 2 of transactions: completed_at_ms must not be before created_at_ms",
  ],
  [
    "UPDATE transactions SET result_code = 4711 WHERE status = 3",
    "row 3 of transactions: result_desc must be set, because its code has no standard text",
  ],
  ...[
    ["reference", 100],
    ["description", 182],
  ].map(([column, most]): [sql: string, refusal: string] => [
    pending(`${column} = 'a' || char(0) || '${"x".repeat(Number(most) - 1)}'`),
    `row 1 of transactions: ${column} must be at most ${most} characters; it is "a`,
  ]),
  ["DELETE FROM numbering", "there are 1 databases without a key for request ids; at most 0 are allowed"],
  [pending("memo = 'nonsense 12'"), 'row 1 of transactions: memo must be one of a provider; it is "nonsense 12"'],
  ...["", "' || char(27) || '[31m", "a' || char(8233) || 'b", "x".padEnd(201, "x")].flatMap(
    (text): [sql: string, refusal: string][] => [
      [
        `UPDATE transactions SET result_desc = '${text}' WHERE status = 3`,
        "row 3 of transactions: result_desc must be",
      ],
      [pending(`memo = 'failed 1 header 26 ${text}'`), "row 1 of transactions: memo must be one of a provider"],
    ],
  ),
  [paid("memo = 'completed 9e99'"), 'row 2 of transactions: memo must be one of a provider; it is "completed 9e99"'],
  [
    `${upTo(10_000)} INSERT INTO merchants SELECT v + 1, 'A', 1 FROM n`,
    "there are 10001 merchants; at most 10000 are allowed",
  ],
  [`${upTo(1000)} ${KEYS_OF_1}, NULL FROM n`, "there are 1001 keys in force of a merchant; at most 1000 are allowed"],
  [`${upTo(1001)} ${KEYS_OF_1}, 5 FROM n`, "there are 1001 revoked keys of a merchant; at most 1000 are allowed"],
  [
    `${upTo(1000)} INSERT INTO payment_accounts SELECT v + 1, 1, 'A', 0, 0, 1 FROM n`,
    "there are 1001 payment accounts of a merchant; at most 1000 are allowed",
  ],
];

test.each(FORGED)("an import is as strict as the API: %s", async (sql, refusal) => {
  const message = await refusalOf(changed(...sql.split(";")));
  expect(message).toStartWith("the copy holds what momo never stores: ");
  expect(message).toContain(refusal);
  expect(message.length).toBeLessThan(600);
});

test.each([
  [pending("phone = 712345678"), "phone 712345678"],
  [pending("reference = 'a' || char(0) || hex(zeroblob(5000))"), 'reference "a\\u0000'],
  ["UPDATE api_keys SET label = ''", 'label ""'],
  [paid("completed_at_ms = 5"), "completed_at_ms 5"],
  ["UPDATE merchants SET name = 'a' || CAST(x'c3' AS TEXT)", 'it reads "a\ufffd"'],
])("a refused import names what came, but no secret: %s", async (sql, came) => {
  const message = await refusalOf(changed(sql));
  expect(message).toContain(came);
  expect(message).not.toContain("secret_hash");
  expect(visible(message)).toBe(message);
});

test("as many accounts and keys as each merchant can have are accepted", async () => {
  const file = changed(
    "INSERT INTO merchants VALUES (2, 'Other', 1)",
    `${upTo(999)} INSERT INTO payment_accounts SELECT v + 1, 1, 'A', 0, 0, 1 FROM n`,
    "INSERT INTO payment_accounts VALUES (2000, 2, 'A', 0, 0, 1)",
    `${upTo(1999)} ${KEYS_OF_1}, iif(v > 999, 5, NULL) FROM n`,
    "INSERT INTO api_keys VALUES (3000, 'mk_other', zeroblob(32), 2, 'A', 1, NULL)",
  );
  expect(await refusalOf(file)).toBe("not refused");
});

test("a payment may complete in the millisecond of its start", async () => {
  expect(await refusalOf(changed(paid("completed_at_ms = created_at_ms")))).toBe("not refused");
});

test("a copy of the schema before is accepted", async () => {
  const file = changed("DROP TABLE deliveries", `PRAGMA user_version = ${LAST_UNRELEASED + 1}`);
  expect(await refusalOf(file)).toBe("not refused");
});

describe("a database of another program, or with references that lead nowhere, is refused", () => {
  test.each([
    ["PRAGMA user_version = 99", "was written by a newer momo (schema 99"],
    ["PRAGMA application_id = 1", "is not a database of momo's"],
    ["DROP TABLE merchants; CREATE VIEW merchants AS SELECT 1 AS id", "is not a database of momo's"],
    ["INSERT INTO payment_accounts VALUES (9, 99, 'Stray', 0, 0, 1)", "row 9 of payment_accounts: FOREIGN KEY"],
    [
      `INSERT INTO merchants VALUES (2, 'Other', 1); ${pending("merchant_id = 2")}`,
      "row 1 of transactions: FOREIGN KEY",
    ],
    // Of an earlier version.
    [
      `ALTER TABLE transactions ADD number INTEGER; ${pending("number = 2")}`,
      "row 2 of transactions: UNIQUE constraint failed: transactions.id",
    ],
  ])("%s", async (sql, refusal) => {
    expect(await refusalOf(changed(...sql.split("; ")))).toContain(refusal);
  });

  test("one with damage deep inside, and one that is cut off", async () => {
    const file = changed();
    const whole = readFileSync(file);
    for (const end of [Buffer.alloc(4096, 0xa5), Buffer.alloc(0)]) {
      writeFileSync(file, Buffer.concat([whole.subarray(0, -4096), end]));
      expect(await refusalOf(file)).toContain("is damaged");
    }
  });
});

test("only the rows are taken: the totals are counted again, and what was planted is left behind", async () => {
  const file = changed(
    "UPDATE day_totals SET count = 1000000, amount_cents = 7",
    "INSERT INTO day_totals VALUES (1, 20000, 0, 1, 5, 5), (99, 1, 0, 0, 1, 1)",
    pending("reference_folded = 'OTHER'"),
    "CREATE TABLE plain (a)",
    "CREATE TRIGGER planted AFTER INSERT ON merchants BEGIN DELETE FROM api_keys; END",
    "ALTER TABLE merchants ADD COLUMN planted TEXT DEFAULT 'a'",
  );
  const taken = join(newFolder(), "taken");
  expect(await take(file, taken)).toMatchObject({ merchants: 1, transactions: 3 });
  expect(inspectDatabase(taken)).toMatchObject({ state: "sound", totals: true });
  const [client, fresh] = [new Database(taken, { readonly: true }), new Database(copy, { readonly: true })];
  const declarations = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name";
  expect(client.query(declarations).all()).toEqual(fresh.query(declarations).all());
  const rows = "SELECT * FROM transactions";
  expect(client.query(rows).all()).toEqual(fresh.query(rows).all());
  client.close();
  fresh.close();
});

test("the highest payment number is accepted, and the next payment still gets a number", async () => {
  const taken = join(newFolder(), "taken");
  await take(changed(pending(`id = ${MAX_ID}`)), taken);
  const store = openStore(taken);
  expect((await identified(store)).id).toBe(MAX_ID + 1);
  store.close();
});
