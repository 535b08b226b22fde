import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { receiptNumber } from "../../src/domain/identifiers.ts";
import { RESULT_CODES } from "../../src/domain/result-codes.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/cleanup.ts";
import { CREATED_AT_MS, paidAt } from "../support/payments.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

/** How transactions lie in the file; what every engine must do with them is in test/store/contract. */

const inFolder = useFolder();
let store: Store;
beforeEach(async () => {
  store = await openStoreWithMerchants(inFolder("momo.db"), 2);
});
afterEach(() => store.close());

test("a receipt number and a result text are stored only if they do not derive from the rest", async () => {
  const [derived, chosen] = [await insertPending(store), await insertPending(store)];
  const atMs = CREATED_AT_MS + 5;
  const finals = [
    resolve(derived, { ...paidAt(atMs, receiptNumber(atMs, derived.id)), resultDesc: RESULT_CODES[0] }),
    resolve(chosen, paidAt(atMs, receiptNumber(atMs + 86_400_000, chosen.id))),
  ];
  await store.transactions.record(finals);
  const raw = new Database(inFolder("momo.db"), { readonly: true });
  const stored = raw.query("SELECT receipt_number, result_desc FROM transactions ORDER BY id").values();
  raw.close();
  expect(stored).toEqual([
    [null, null],
    [receiptNumber(atMs + 86_400_000, chosen.id), "paid"],
  ]);
});

test("when transactions are forgotten, the table and its rules are as they were", async () => {
  await insertPending(store);
  const schema = () => {
    const database = new Database(inFolder("momo.db"), { readonly: true });
    const rows = database.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
    database.close(true);
    return rows;
  };
  const before = schema();
  await store.transactions.clear();
  expect(schema()).toEqual(before);
});
