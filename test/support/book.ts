import type { AmountCents } from "../../src/domain/money.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import {
  KINDS,
  type PendingTransaction,
  STATUSES,
  type Status,
  type Transaction,
} from "../../src/domain/transaction.ts";
import type { Store } from "../../src/store/store.ts";
import { CREATED_AT_MS, paidAt } from "./payments.ts";
import { insertPending } from "./shop.ts";

export const REFERENCES = [
  null,
  "",
  "Order-1",
  "order-10",
  "ORDER-2",
  "ÉCOLE",
  "école du soir",
  "Straße 5",
  "100%",
  "100_",
  "1000",
  "%",
  "_",
  "a\\b",
  "0712",
  "ws_CO_",
  "My Order-1",
  "😀 emoji",
] as const;

export const PHONES = ["254712345678", "254712345999", "254722000000", "254110000001", "254700000000"] as Msisdn[];

/** Every kind in every state, over three Nairobi days with their midnights, of two merchants; some at the same instant. */
export async function fillStore(store: Store, count: number): Promise<Transaction[]> {
  const started = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const merchantId = index % 7 === 0 ? 2 : 1;
      return insertPending(store, {
        merchantId,
        paymentAccountId: merchantId,
        kind: pick(KINDS, index >> 1),
        phone: pick(PHONES, index * 3),
        reference: pick(REFERENCES, index),
        amountCents: (100 + index * 37) as AmountCents,
        createdAtMs: CREATED_AT_MS + Math.floor((index * 60) / count) * 3_600_000,
      });
    }),
  );
  const now = started.map((pending, index) => finished(pending, pick(STATUSES, (index * 11) >> 2), index));
  await store.transactions.record(now.filter(({ status }) => status !== "pending"));
  return now;
}

function finished(pending: PendingTransaction, status: Status, index: number): Transaction {
  if (status === "pending") return pending;
  const atMs = pending.createdAtMs + 1000;
  const outcome =
    status === "completed"
      ? paidAt(atMs, `UJ2${String(index).padStart(7, "0")}`)
      : { status, resultCode: 1, resultDesc: "no", atMs };
  return resolve(pending, outcome);
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}
