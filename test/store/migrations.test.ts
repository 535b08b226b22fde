import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { DEFAULT_PAGE } from "../../src/domain/filter.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import initial from "../../src/store/sqlite/migrations/0001_initial.sql" with { type: "text" };
import { APPLICATION_ID } from "../../src/store/sqlite/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { useFolder } from "../support/folder.ts";
import { paidAt } from "../support/payments.ts";
import { COMPLETED, insertRow, ROWS, updateTransaction } from "../support/rows.ts";

const inFolder = useFolder();

/** A database as the first schema left it: one payment completed, one pending. */
function writtenEarlier(): string {
  const file = inFolder("momo.db");
  const client = new Database(file, { strict: true });
  client.run(initial);
  client.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  client.run("PRAGMA user_version = 1");
  insertRow(client, "merchants", ROWS.merchants);
  insertRow(client, "payment_accounts", ROWS.payment_accounts);
  insertRow(client, "transactions", ROWS.transactions);
  updateTransaction(client, COMPLETED);
  const identifiers = { id: 2, checkout_request_id: "ws_CO_2", merchant_request_id: "ws_MR_2" };
  const pending = { ...ROWS.transactions, ...identifiers, phone: "254722345678", memo: "completed 4000" };
  insertRow(client, "transactions", pending);
  client.close();
  return file;
}

test("what an earlier schema holds is read by this one: a final payment of then has no note", async () => {
  const store = openStore(writtenEarlier());
  expect(await store.transactions.findByCheckoutRequestId("ws_CO_1")).toMatchObject({
    status: "completed",
    memo: null,
  });
  store.close();
});

test("what ended before phones were counted is found by the start of its phone, and so is what ends later", async () => {
  const store = openStore(writtenEarlier());
  const summary = async (search: string) => (await store.transactionList.list(1, { search }, DEFAULT_PAGE)).summary;
  const [paid, open] = [
    { totalItems: 1, completedCount: 1 },
    { totalItems: 1, pendingCount: 1 },
  ];
  expect([await summary("0712"), await summary("0722")]).toMatchObject([paid, open]);
  const pending = (await store.transactions.findByCheckoutRequestId("ws_CO_2")) as PendingTransaction;
  await store.transactions.record([resolve(pending, paidAt(4000, "UJ22T8IYO2"), () => "CODE2")]);
  expect([await summary("0712"), await summary("0722")]).toMatchObject([paid, paid]);
  store.close();
});

test("a payment that was pending then ends like any other, and keeps its note", async () => {
  const store = openStore(writtenEarlier());
  const pending = (await store.transactions.findByCheckoutRequestId("ws_CO_2")) as PendingTransaction;
  expect(pending).toMatchObject({ status: "pending", memo: "completed 4000" });
  await store.transactions.record([resolve(pending, paidAt(4000, "UJ22T8IYO2"), () => "CODE2")]);
  expect(await store.transactions.findByCheckoutRequestId("ws_CO_2")).toMatchObject({
    status: "completed",
    memo: "completed 4000",
  });
  store.close();
});
