import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { useFolder } from "../support/cleanup.ts";
import { COMPLETED, FAILED, insertRow, ROWS, type Row } from "../support/rows.ts";

/** What the state machine promises, the database repeats: each CHECK refuses. */

const inFolder = useFolder();
let client: Database;
let close: () => void;
beforeEach(() => {
  ({ client, close } = openDatabase(inFolder("momo.db")));
  insertRow(client, "merchants", ROWS.merchants);
  insertRow(client, "payment_accounts", ROWS.payment_accounts);
});
afterEach(() => close());

const insert = (table: keyof typeof ROWS, changes: Row = {}) =>
  insertRow(client, table, { ...ROWS[table], ...changes });
const finished = (outcome: Row, changes: Row = {}) => insert("transactions", { ...outcome, ...changes });

describe("a sound row is stored", () => {
  test.each<[string, Row]>([
    ["pending", {}],
    ["completed", COMPLETED],
    ["failed", FAILED],
    ["cancelled", { ...FAILED, status: 3, result_code: 1032 }],
    ["expired", { ...FAILED, status: 4, result_code: 1019 }],
    [
      "completed, with the receipt and the text that derive from the rest",
      { ...COMPLETED, receipt_number: null, result_desc: null },
    ],
    ["of the least amount", { amount_cents: 100 }],
    ["of the greatest amount", { amount_cents: 99_999_999_999 }],
    ["without a fee", { fee_cents: 0 }],
    ["with the longest texts", { reference: "r".repeat(100), reference_folded: "R", description: "d".repeat(182) }],
    ["with the longest texts of characters beyond 16 bits", { reference: "😀".repeat(100), reference_folded: "R" }],
    ["checked at its deadline", { check_at_ms: 61_000 }],
    ["that lives for a millisecond", { expires_at_ms: 1001, check_at_ms: 1001 }],
  ])("%s", (_what, changes) => {
    insert("transactions", changes);
    expect(client.query("SELECT count(*) AS count FROM transactions").get()).toEqual({ count: 1 });
  });
});

describe("a transaction is refused", () => {
  test.each<[string, Row]>([
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
    ["with a secret too short", { secret: "0123456789A" }],
    ["with a search text but no reference", { reference_folded: "R" }],
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
  ])("%s", (_what, changes) => {
    expect(() => insert("transactions", changes)).toThrow(/^CHECK constraint failed/);
  });

  test.each<[string, Row]>([
    ["without a status", { status: null }],
    ["without an amount", { amount_cents: null }],
    ["without a phone", { phone: null }],
    ["without the secret of its request ids", { secret: null }],
    ["without a memo", { memo: null }],
    ["without a deadline", { expires_at_ms: null }],
  ])("%s", (_what, changes) => {
    expect(() => insert("transactions", changes)).toThrow(/^NOT NULL constraint failed/);
  });

  test.each<[string, Row]>([
    ["of nobody", { merchant_id: 2 }],
    ["to no account", { payment_account_id: 2 }],
  ])("%s", (_what, changes) => {
    expect(() => insert("transactions", changes)).toThrow("FOREIGN KEY constraint failed");
  });

  test("with an amount that is no whole number", () => {
    expect(() => insert("transactions", { amount_cents: 100.5 })).toThrow("cannot store REAL value");
  });
});

test("no two transactions share a receipt number that a provider chose, not even in another letter case", () => {
  finished(COMPLETED);
  const other = { ...COMPLETED, id: 2, receipt_number: "uj22t8iyou" };
  expect(() => finished(other)).toThrow("UNIQUE constraint failed: transactions.receipt_number");
  finished({ ...other, receipt_number: "R" });
});

describe("what a merchant sets up", () => {
  test.each<[keyof typeof ROWS, string, Row]>([
    ["merchants", "without a name", { id: 2, name: "" }],
    ["payment_accounts", "without a name", { id: 2, name: "" }],
    ["payment_accounts", "with a fee over 100 %", { id: 2, fee_basis_points: 10_001 }],
    ["payment_accounts", "with a negative fee", { id: 2, fee_basis_points: -1 }],
    ["payment_accounts", "with a fixed fee over KES 1,000,000", { id: 2, fee_fixed_cents: 100_000_001 }],
    ["payment_accounts", "with a negative fixed fee", { id: 2, fee_fixed_cents: -1 }],
    ["api_keys", "of another shape", { api_key: "sk_1" }],
    ["api_keys", "with a secret that is no hash", { secret_hash: new Uint8Array(31) }],
    ["api_keys", "without a label", { label: "" }],
  ])("%s %s is refused", (table, _what, changes) => {
    expect(() => insert(table, changes)).toThrow(/^CHECK constraint failed/);
  });

  test("a key is nobody else's, and an account and a key belong to somebody", () => {
    insert("api_keys");
    expect(() => insert("api_keys", { id: 2 })).toThrow("UNIQUE constraint failed: api_keys.api_key");
    expect(() => insert("api_keys", { id: 2, api_key: "mk_2", merchant_id: 7 })).toThrow("FOREIGN KEY");
    expect(() => insert("payment_accounts", { id: 2, merchant_id: 7 })).toThrow("FOREIGN KEY");
  });
});
