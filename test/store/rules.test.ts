import type { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { insertRow, ROWS, type Row } from "../support/shop.ts";

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

/** The changes of a pending row that completes. */
const COMPLETED: Row = {
  status: 1,
  receipt_number: "UJ22T8IYOU",
  result_code: 0,
  result_desc: "paid",
  completed_at_ms: 4000,
  check_at_ms: null,
};
const FAILED: Row = { status: 2, result_code: 1, result_desc: "no money", check_at_ms: null };

test.each<[string, Row]>([
  ["pending", {}],
  ["completed", COMPLETED],
  ["failed", FAILED],
  ["cancelled", { ...FAILED, status: 3, result_code: 1032 }],
  ["expired", { ...FAILED, status: 4, result_code: 1019 }],
  ["completed, with a derived receipt and result text", { ...COMPLETED, receipt_number: null, result_desc: null }],
  ["of the least amount", { amount_cents: 100 }],
  ["of the greatest amount", { amount_cents: 99_999_999_999 }],
  ["without a fee", { fee_cents: 0 }],
  ["with the longest texts", { reference: "r".repeat(100), reference_folded: "R", description: "d".repeat(182) }],
  ["with the longest texts of characters beyond 16 bits", { reference: "😀".repeat(100), reference_folded: "R" }],
  ["checked at its deadline", { check_at_ms: 61_000 }],
  ["that lives for a millisecond", { expires_at_ms: 1001, check_at_ms: 1001 }],
])("a transaction is stored: %s", (_what, changes) => {
  insert("transactions", changes);
  expect(stored()).toHaveLength(1);
});

describe.each<[string, [string, Row][]]>([
  [
    "CHECK",
    [
      ["of another kind", { kind: 4 }],
      ["in another state", { status: 5 }],
      ["numbered 0", { id: 0 }],
      ["numbered beyond what identifiers can carry", { id: 36 ** 7 }],
      ["below KES 1", { amount_cents: 99 }],
      ["of KES 1,000,000,000", { amount_cents: 100_000_000_000 }],
      ["with a negative fee", { fee_cents: -1 }],
      ["with a phone of the other shape", { phone: 712345678 }],
      ["with a phone of another country", { phone: 255712345678 }],
      ["with a phone too long", { phone: 2547123456789 }],
      ["with a reference of 101 characters", { reference: "r".repeat(101), reference_folded: "R" }],
      ["with a search text that is the reference itself", { reference: "R", reference_folded: "R" }],
      ["with a search text but no reference", { reference_folded: "R" }],
      ["with a secret too short", { secret: "0123456789A" }],
      ["with a description of 183 characters", { description: "d".repeat(183) }],
      ["that expires when it starts", { expires_at_ms: 1000, check_at_ms: 1000 }],
      ["to be checked after its deadline", { check_at_ms: 61_001 }],
      ["pending, and never to be checked", { check_at_ms: null }],
      ["pending with a result code", { result_code: 1 }],
      ["pending with result code 0", { result_code: 0 }],
      ["pending with a result text", { result_desc: "?" }],
      ["pending with a receipt", { receipt_number: "UJ22T8IYOU" }],
      ["pending with a time of completion", { completed_at_ms: 4000 }],
      ["completed without a time", { ...COMPLETED, completed_at_ms: null }],
      ["completed without a result code", { ...COMPLETED, result_code: null }],
      ["completed with another result code", { ...COMPLETED, result_code: 1 }],
      ["completed and still to be checked", { ...COMPLETED, check_at_ms: 4000 }],
      ["failed with a receipt", { ...FAILED, receipt_number: "UJ22T8IYOU" }],
      ["failed with a time of completion", { ...FAILED, completed_at_ms: 4000 }],
      ["failed with result code 0", { ...FAILED, result_code: 0 }],
      ["failed without a result code", { ...FAILED, result_code: null }],
      ["failed and still to be checked", { ...FAILED, check_at_ms: 4000 }],
    ],
  ],
  [
    "NOT NULL",
    [
      ["without a status", { status: null }],
      ["without an amount", { amount_cents: null }],
      ["without a phone", { phone: null }],
      ["without the secret of its request ids", { secret: null }],
      ["without a memo", { memo: null }],
      ["without a deadline", { expires_at_ms: null }],
    ],
  ],
  [
    "FOREIGN KEY",
    [
      ["of a missing merchant", { merchant_id: 2 }],
      ["to a missing account", { payment_account_id: 2 }],
    ],
  ],
])("a %s constraint refuses a transaction", (constraint, rows) => {
  test.each(rows)("%s", (_what, changes) => {
    expect(() => insert("transactions", changes)).toThrow(new RegExp(`^${constraint} constraint failed`));
  });
});

test("an amount that is not a whole number is refused: the tables are STRICT", () => {
  expect(() => insert("transactions", { amount_cents: 100.5 })).toThrow("cannot store REAL value");
});

test("no two transactions share a receipt number that a provider chose, not even in another letter case", () => {
  insert("transactions", COMPLETED);
  const other = { ...COMPLETED, id: 2, receipt_number: "uj22t8iyou" };
  expect(() => insert("transactions", other)).toThrow("UNIQUE constraint failed: transactions.receipt_number");
  insert("transactions", { ...other, receipt_number: "R" });
});

test.each<[keyof typeof ROWS, string, Row, string]>([
  ["merchants", "without a name", { id: 2, name: "" }, "CHECK"],
  ["payment_accounts", "without a name", { id: 2, name: "" }, "CHECK"],
  ["payment_accounts", "with a fee over 100 %", { id: 2, fee_basis_points: 10_001 }, "CHECK"],
  ["payment_accounts", "with a negative fee", { id: 2, fee_basis_points: -1 }, "CHECK"],
  ["payment_accounts", "with a fixed fee over KES 1,000,000", { id: 2, fee_fixed_cents: 100_000_001 }, "CHECK"],
  ["payment_accounts", "with a negative fixed fee", { id: 2, fee_fixed_cents: -1 }, "CHECK"],
  ["payment_accounts", "of a missing merchant", { id: 2, merchant_id: 7 }, "FOREIGN KEY"],
  ["api_keys", "of another shape", { id: 2, api_key: "sk_2" }, "CHECK"],
  [
    "api_keys",
    "with a secret that is not a hash",
    { id: 2, api_key: "mk_2", secret_hash: new Uint8Array(31) },
    "CHECK",
  ],
  ["api_keys", "without a label", { id: 2, api_key: "mk_2", label: "" }, "CHECK"],
  ["api_keys", "of a missing merchant", { id: 2, api_key: "mk_2", merchant_id: 7 }, "FOREIGN KEY"],
  ["api_keys", "with the name of another key", { id: 2 }, "UNIQUE"],
])("%s %s: refused", (table, _what, changes, constraint) => {
  insert("api_keys");
  expect(() => insert(table, changes)).toThrow(new RegExp(`^${constraint} constraint failed`));
});

describe("a final transaction never changes", () => {
  test.each<[string, Row]>([
    ["completed", COMPLETED],
    ["failed", FAILED],
    ["cancelled", { ...FAILED, status: 3 }],
    ["expired", { ...FAILED, status: 4 }],
  ])("%s", (_status, outcome) => {
    insert("transactions", outcome);
    const before = stored();
    const pending = { status: 0, result_code: null, result_desc: null, check_at_ms: 4000 };
    for (const changes of [COMPLETED, FAILED, pending, { status: 3 }, { result_desc: "other" }, { memo: "other" }]) {
      expect(() => update(changes)).toThrow("a final transaction never changes");
    }
    expect(stored()).toEqual(before);
  });
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
