import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { useFolder } from "../support/cleanup.ts";
import { COMPLETED, FAILED, insertRow, ROWS, type Row, updateTransaction } from "../support/rows.ts";

const inFolder = useFolder();
let client: Database;
let close: () => void;
beforeEach(() => {
  ({ client, close } = openDatabase(inFolder("momo.db")));
  insertRow(client, "merchants", ROWS.merchants);
  insertRow(client, "payment_accounts", ROWS.payment_accounts);
  insertRow(client, "transactions", ROWS.transactions);
});
afterEach(() => close());

const stored = () => client.query("SELECT * FROM transactions").all();

describe("final states never change", () => {
  const finals: [string, Row][] = [
    ["completed", COMPLETED],
    ["failed", FAILED],
    ["cancelled", { ...FAILED, status: 3 }],
    ["expired", { ...FAILED, status: 4 }],
  ];
  const attempts: Row[] = [
    COMPLETED,
    { ...FAILED, result_code: 17 },
    { status: 3 },
    { result_desc: "something else" },
    { result_code: 4 },
    { ...ROWS.transactions, result_code: null, result_desc: null },
    { status: 2 },
    { phone: 254700000000 },
  ];

  test.each(finals)("%s", (_status, outcome) => {
    updateTransaction(client, outcome);
    const before = stored();
    for (const attempt of attempts) {
      expect(() => updateTransaction(client, attempt)).toThrow(
        /^a final transaction never changes|^only the outcome of a transaction changes/,
      );
    }
    expect(() => updateTransaction(client, FAILED)).toThrow("a final transaction never changes");
    expect(stored()).toEqual(before);
  });
});

describe("what a payment was when it started stays so", () => {
  test.each<[string, Row[string]]>([
    ["id", 9],
    ["merchant_id", 1],
    ["payment_account_id", 1],
    ["kind", 1],
    ["amount_cents", 20_000],
    ["fee_cents", 0],
    ["phone", 254700000000],
    ["reference", "other"],
    ["reference_folded", "OTHER"],
    ["description", "other"],
    ["secret", "BA9876543210"],
    ["created_at_ms", 999],
    ["expires_at_ms", 99_000],
  ])("%s", (column, value) => {
    const before = stored();
    expect(() => updateTransaction(client, { [column]: value })).toThrow("only the outcome of a transaction changes");
    expect(() => updateTransaction(client, { ...COMPLETED, [column]: value })).toThrow(
      "only the outcome of a transaction changes",
    );
    expect(stored()).toEqual(before);
  });

  test("no column is forgotten: it is a fact, or it changes with the outcome", () => {
    const changing = ["status", "receipt_number", "result_code", "result_desc"];
    const schedule = ["completed_at_ms", "check_at_ms", "memo"];
    const columns = client.query<{ name: string }, []>("PRAGMA table_info(transactions)").all();
    for (const { name } of columns.filter((column) => ![...changing, ...schedule].includes(column.name))) {
      expect(() => client.run(`UPDATE transactions SET ${name} = ${name}`)).toThrow("only the outcome");
    }
  });
});

test("a pending transaction can be put off, and can end", () => {
  updateTransaction(client, { check_at_ms: 5000, memo: "later" });
  updateTransaction(client, COMPLETED);
  expect(stored()).toMatchObject([{ status: 1, check_at_ms: null, receipt_number: "UJ22T8IYOU" }]);
});
