import type { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { insertRow, ROWS, type Row } from "./rows.ts";

/** The database repeats the rules of the state machine, in CHECKs and triggers. */

let client: Database;
beforeAll(() => {
  const database = openDatabase(`${newFolder()}/momo.db`);
  later(database.close);
  client = database.client;
  insertRow(client, "merchants", ROWS.merchants);
  insertRow(client, "payment_accounts", ROWS.payment_accounts);
});
beforeEach(() => void client.run("BEGIN"));
afterEach(() => void client.run("ROLLBACK"));
afterAll(cleanUp);

const insert = (table: keyof typeof ROWS, changes: Row = {}) =>
  insertRow(client, table, { ...ROWS[table], ...changes });

function update(changes: Row): void {
  const assignments = Object.keys(changes).map((name) => `${name} = ?`);
  client.query(`UPDATE transactions SET ${assignments.join(", ")}`).run(...Object.values(changes));
}

const stored = () => client.query("SELECT * FROM transactions").all();

/** The changes of a pending row that ends. */
const COMPLETED: Row = {
  ...{ status: 1, receipt_number: "UJ22T8IYOU", result_code: 0, result_desc: "paid" },
  ...{ completed_at_ms: 4000, check_at_ms: null },
};
const FAILED: Row = { status: 2, result_code: 1, result_desc: "no money", check_at_ms: null };
const CANCELLED: Row = { ...FAILED, status: 3, result_code: 1032 };
const EXPIRED: Row = { ...FAILED, status: 4, result_code: 1019 };

const LATEST_MS = 253_402_214_400_000;
const MILLISECONDS = "milliseconds since 1970, before the year 10000";
const ONE_LINE = "1 to 100 characters on one line";
const ID = "from 1 to 10000000000";
const MOST_ID = 10_000_000_000;

test.each<Row>([
  ...[{}, COMPLETED, FAILED, CANCELLED, EXPIRED],
  { ...COMPLETED, receipt_number: null, result_desc: null },
  ...[{ id: 36 ** 7 - 1 - 2_000_000 }, { amount_cents: 100 }, { amount_cents: 99_999_999_999 }, { fee_cents: 0 }],
  { reference: "r".repeat(100), reference_folded: "R", description: "d".repeat(182) },
  { reference: "😀".repeat(100), reference_folded: "R", description: "😀".repeat(182) },
  { check_at_ms: 61_000 },
  { expires_at_ms: 1001, check_at_ms: 1001 },
])("a transaction is stored: %j", (changes) => {
  insert("transactions", changes);
  expect(stored()).toHaveLength(1);
});

/** Changes of a sound row, and the rule that each breaks: the name of its CHECK. */
const BROKEN: { readonly [T in keyof typeof ROWS]: readonly (readonly [rule: string, ...changes: Row[]])[] } = {
  merchants: [
    [ID, { id: 0 }, { id: MOST_ID + 1 }],
    [ONE_LINE, { id: 2, name: "" }, { id: 2, name: "n".repeat(101) }, { id: 2, name: "a\nb" }, { id: 2, name: "a\0" }],
    [MILLISECONDS, { id: 2, created_at_ms: -1 }, { id: 2, created_at_ms: LATEST_MS + 1 }],
  ],
  payment_accounts: [
    [ID, { id: 0 }, { id: MOST_ID + 1 }],
    [ONE_LINE, { id: 2, name: "" }, { id: 2, name: "\u2028" }],
    ["from 0 to 10000", { id: 2, fee_basis_points: 10_001 }, { id: 2, fee_basis_points: -1 }],
    ["from 0 to 100000000", { id: 2, fee_fixed_cents: 100_000_001 }, { id: 2, fee_fixed_cents: -1 }],
    [MILLISECONDS, { id: 2, created_at_ms: -1 }],
  ],
  api_keys: [
    [ID, { id: 0 }],
    ["mk_ and at most 97 letters and digits", { api_key: "sk_2" }, { api_key: "mk_" }, { api_key: "mk_ä" }],
    ["32 bytes", { secret_hash: new Uint8Array(31) }],
    [ONE_LINE, { label: "" }, { label: "a\nb" }],
    [MILLISECONDS, { created_at_ms: -1 }, { revoked_at_ms: LATEST_MS + 1 }],
  ],
  transactions: [
    ["from 1 to 78364164095", { id: 0 }, { id: 36 ** 7 }],
    ["from 0 to 3", { kind: 4 }, { kind: -1 }],
    ["from 0 to 4", { status: 5 }],
    ["from 100 to 99999999999", { amount_cents: 99 }, { amount_cents: 100_000_000_000 }],
    ["at most the fee of the highest tariff", { fee_cents: -1 }, { fee_cents: 100_010_001 }],
    ["254 and 9 digits", { phone: 712345678 }, { phone: 255712345678 }, { phone: 2547123456789 }],
    ["at most 100 characters", { reference: "r".repeat(101), reference_folded: "R" }],
    ["null, or another text than the reference", { reference: "R", reference_folded: "R" }, { reference_folded: "R" }],
    ["at most 182 characters", { description: "d".repeat(183) }],
    ["12 characters of 0123456789ABCDEFGHJKMNPQRSTVWXYZ", { secret: "0123456789A" }, { secret: "0123456789AI" }],
    [MILLISECONDS, { created_at_ms: -1 }, { ...COMPLETED, completed_at_ms: LATEST_MS + 1 }],
    [
      "at most a day after created_at_ms, and after it",
      { expires_at_ms: 1000, check_at_ms: 1000 },
      { expires_at_ms: 86_401_001 },
    ],
    ["from 1970 to expires_at_ms", { check_at_ms: 61_001 }, { check_at_ms: -1 }],
    ["from 0 to 999999", { ...FAILED, result_code: -1 }, { ...FAILED, result_code: 1_000_000 }],
    ["at most 1000 bytes", { ...FAILED, result_desc: "ä".repeat(501) }, { memo: "m".repeat(1001) }],
    [
      "1 to 100 letters, digits and _",
      ...["", "R".repeat(101), "R-1", "Ä"].map((receipt_number) => ({ ...COMPLETED, receipt_number })),
    ],
    [
      "only pending payments are checked",
      ...[{ check_at_ms: null }, { ...COMPLETED, check_at_ms: 4000 }, { ...FAILED, check_at_ms: 4000 }],
    ],
    [
      "only final payments have a result",
      ...[{ result_code: 1 }, { ...COMPLETED, result_code: null }, { ...FAILED, result_code: null }],
    ],
    ["only completed payments have the result code 0", { ...COMPLETED, result_code: 1 }, { ...FAILED, result_code: 0 }],
    [
      "only completed payments have a time of completion",
      ...[{ ...COMPLETED, completed_at_ms: null }, { completed_at_ms: 4000 }, { ...FAILED, completed_at_ms: 4000 }],
    ],
    ["only final payments have a result text", { result_desc: "?" }],
    [
      "only completed payments have a receipt",
      { receipt_number: "UJ22T8IYOU" },
      { ...FAILED, receipt_number: "UJ22T8IYOU" },
    ],
  ],
};

const ruleBrokenBy = (table: keyof typeof ROWS, changes: Row): string => {
  try {
    insert(table, changes);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
};

describe.each(Object.keys(BROKEN) as (keyof typeof ROWS)[])("%s", (table) => {
  test.each(BROKEN[table].flatMap(([rule, ...all]) => all.map((changes) => [rule, changes] as const)))(
    "the database refuses what breaks the rule %p: %j",
    (rule, changes) => {
      expect(ruleBrokenBy(table, changes)).toMatch(/^CHECK constraint failed: /);
      expect(ruleBrokenBy(table, changes)).toEndWith(rule);
    },
  );

  test("each rule of the table is broken above", () => {
    const [sql] = client.query("SELECT sql FROM sqlite_schema WHERE name = ?").values(table)[0] ?? [];
    const rules = new Set([...String(sql).matchAll(/CONSTRAINT "(?:\w+ must be )?([^"]+)"/g)].map(([, rule]) => rule));
    expect(rules).toEqual(new Set(BROKEN[table].map(([rule]) => rule)));
  });
});

test.each<[string, keyof typeof ROWS, Row]>([
  ...["status", "amount_cents", "phone", "secret", "memo", "expires_at_ms"].map(
    (name): [string, "transactions", Row] => [
      `NOT NULL constraint failed: transactions.${name}`,
      "transactions",
      { [name]: null },
    ],
  ),
  ["FOREIGN KEY constraint failed", "transactions", { merchant_id: 2 }],
  ["FOREIGN KEY constraint failed", "transactions", { payment_account_id: 2 }],
  ["FOREIGN KEY constraint failed", "payment_accounts", { id: 2, merchant_id: 7 }],
  ["FOREIGN KEY constraint failed", "api_keys", { id: 2, api_key: "mk_2", merchant_id: 7 }],
  ["UNIQUE constraint failed: api_keys.api_key", "api_keys", { id: 2 }],
])("%s: in %s, with %j", (message, table, changes) => {
  insert("api_keys");
  expect(ruleBrokenBy(table, changes)).toBe(message);
});

test.each([
  "INSERT INTO numbering VALUES (2, zeroblob(32), 0)",
  "UPDATE numbering SET request_id_key = zeroblob(31)",
  "UPDATE numbering SET last_forgotten = -1",
])("numbering is one row, with a key of 32 bytes: %s", (change) => {
  expect(() => client.run(change)).toThrow("CHECK constraint failed");
});

test("no two transactions share a receipt number that a provider chose, not even in another letter case", () => {
  insert("transactions", COMPLETED);
  const other = { ...COMPLETED, id: 2, receipt_number: "uj22t8iyou" };
  expect(ruleBrokenBy("transactions", other)).toBe("UNIQUE constraint failed: transactions.receipt_number");
  insert("transactions", { ...other, receipt_number: "R" });
});

test.each([COMPLETED, FAILED, CANCELLED, EXPIRED])("a final transaction never changes: %j", (outcome) => {
  insert("transactions", outcome);
  const before = stored();
  const pending = { status: 0, result_code: null, result_desc: null, check_at_ms: 4000 };
  for (const changes of [COMPLETED, FAILED, pending, { status: 3 }, { result_desc: "other" }, { memo: "other" }]) {
    expect(() => update(changes)).toThrow("a final transaction never changes");
  }
  expect(stored()).toEqual(before);
});

test("a pending transaction can be put off, and can end", () => {
  insert("transactions");
  update({ check_at_ms: 5000, memo: "later" });
  update(COMPLETED);
  expect(stored()).toMatchObject([{ status: 1, check_at_ms: null, receipt_number: "UJ22T8IYOU" }]);
});

test("only the outcome changes: every other column stays as it was when the payment started", () => {
  insert("transactions");
  const before = stored();
  const outcome = ["status", "receipt_number", "result_code", "result_desc", "completed_at_ms", "check_at_ms", "memo"];
  const facts = Object.keys(before[0] as Row).filter((name) => !outcome.includes(name));
  expect(facts).toContain("amount_cents");
  for (const name of facts) {
    for (const changes of [{ [name]: 9 }, { ...COMPLETED, [name]: 9 }]) {
      expect(() => update(changes)).toThrow("only the outcome of a transaction changes");
    }
    expect(() => client.run(`UPDATE transactions SET ${name} = ${name}`)).toThrow("only the outcome");
  }
  expect(stored()).toEqual(before);
});
