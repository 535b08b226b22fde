import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { useFolder } from "../support/folder.ts";
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
    ["cancelled", { ...FAILED, status: "cancelled" }],
    ["expired", { ...FAILED, status: "expired" }],
  ];
  const attempts: Row[] = [
    COMPLETED,
    { ...FAILED, result_code: 17 },
    { status: "cancelled" },
    { result_desc: "something else" },
    { result_code: 4 },
    { ...ROWS.transactions, result_code: null, result_desc: null },
    { status: "failed" },
    { phone: "254700000000" },
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
    ["kind", "web"],
    ["amount_cents", 20_000],
    ["fee_cents", 0],
    ["phone", "254700000000"],
    ["reference", "other"],
    ["reference_folded", "OTHER"],
    ["description", "other"],
    ["checkout_request_id", "ws_CO_2"],
    ["merchant_request_id", "ws_MR_2"],
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
    const changing = ["status", "transaction_code", "momo_receipt_number", "result_code", "result_desc"];
    const schedule = ["completed_at_ms", "check_at_ms", "memo", "final_memo"];
    const columns = client.query<{ name: string }, []>("PRAGMA table_info(transactions)").all();
    for (const { name } of columns.filter((column) => ![...changing, ...schedule].includes(column.name))) {
      expect(() => client.run(`UPDATE transactions SET ${name} = ${name}`)).toThrow("only the outcome");
    }
  });
});

test("what is final counts once by its phone, whether it was stored so or ended later", () => {
  const other = { ...ROWS.transactions, ...COMPLETED, id: 2, phone: "254712999999", momo_receipt_number: "UJ22T8IYO2" };
  const identifiers = { checkout_request_id: "ws_CO_2", merchant_request_id: "ws_MR_2", transaction_code: "CODE2" };
  const counted = () => client.query("SELECT * FROM phone_totals").all();
  updateTransaction(client, { check_at_ms: 5000 });
  expect(counted()).toEqual([]);
  const ofPhones = { merchant_id: 1, prefix: "254712", status: "completed" };
  insertRow(client, "transactions", { ...other, ...identifiers });
  expect(counted()).toEqual([{ ...ofPhones, count: 1, amount_cents: 10_000 }]);
  updateTransaction(client, COMPLETED);
  expect(counted()).toEqual([{ ...ofPhones, count: 2, amount_cents: 20_000 }]);
});

test("a pending transaction can be put off, and can end", () => {
  updateTransaction(client, { check_at_ms: 5000, memo: "later" });
  updateTransaction(client, COMPLETED);
  expect(stored()).toMatchObject([{ status: "completed", check_at_ms: null, momo_receipt_number: "UJ22T8IYOU" }]);
});
