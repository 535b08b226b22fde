import type { AmountCents } from "../../src/domain/money.ts";
import type { Paid } from "../../src/domain/outcome.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import type { Prompt } from "../../src/domain/provider.ts";
import { open, resolve } from "../../src/domain/state-machine.ts";
import type { PendingTransaction, TransactionFacts } from "../../src/domain/transaction.ts";
import type { PaymentOrder } from "../../src/service/start-payment.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { seededRandom } from "./random.ts";

/** A store in which merchant 1 has payment account 1, and so on. */
export async function openStoreWithMerchants(file: string, merchants = 1): Promise<Store> {
  const store = openStore(file);
  await addMerchants(store, merchants);
  return store;
}

export async function addMerchants(store: Store, merchants: number): Promise<void> {
  for (let id = 1; id <= merchants; id++) {
    await store.merchants.addMerchant(`Merchant ${id}`, CREATED_AT_MS);
    const tariff = { basisPoints: 100, fixedCents: 0 };
    await store.merchants.addPaymentAccount({ merchantId: id, name: "Main account", tariff }, CREATED_AT_MS);
  }
}

const random = seededRandom(1);

/** A payment that a store has numbered, and not stored yet. */
export async function identified({ transactions }: Store, changes: Partial<TransactionFacts> = {}) {
  return pendingOf({ ...changes, ...(await transactions.identify(changes.createdAtMs ?? CREATED_AT_MS, random)) });
}

/** Stores a payment that has just started. */
export async function insertPending(store: Store, changes: Partial<TransactionFacts> = {}) {
  const pending = await identified(store, changes);
  await store.transactions.insert(pending);
  return pending;
}

/**
 * Has a store reject what would change a transaction.
 * @returns a function that ends it
 */
export function failWrites({ transactions }: Store, message: string): () => void {
  const { record, resolveDue } = transactions;
  const fail = () => Promise.reject(new Error(message));
  transactions.record = fail;
  transactions.resolveDue = (nowMs, limit, decide) =>
    resolveDue(nowMs, limit, async (due) => ((await decide(due)).length > 0 ? fail() : []));
  return () => void Object.assign(transactions, { record, resolveDue });
}

/** 20 November 2026, 10:00:00 in Nairobi: when a payment starts by default. */
export const CREATED_AT_MS = Date.UTC(2026, 10, 20, 7, 0, 0);

let serial = 0;

/** What is known of a payment when it starts: KES 100 to account 1 of merchant 1, under identifiers that no store gave. */
export function factsOf(changes: Partial<TransactionFacts> = {}): TransactionFacts {
  serial += 1;
  const createdAtMs = changes.createdAtMs ?? CREATED_AT_MS;
  return {
    id: serial,
    merchantId: 1,
    paymentAccountId: 1,
    kind: "api",
    amountCents: 10_000 as AmountCents,
    feeCents: 100,
    phone: "254712345678" as Msisdn,
    reference: null,
    description: null,
    checkoutRequestId: `ws_CO_20112026100000_${serial}`,
    merchantRequestId: `ws_MR_20112026100000_${serial}`,
    createdAtMs,
    expiresAtMs: createdAtMs + 60_000,
    ...changes,
  };
}

/** A payment as it is stored when it starts; checked first after 3 s. */
export function pendingOf(changes: Partial<TransactionFacts> = {}): PendingTransaction {
  const facts = factsOf(changes);
  return open(facts, "a memo", facts.createdAtMs + 3000);
}

/** A payment that the customer has paid. */
export const paid = (one: PendingTransaction, receipt = `R${one.id}`, atMs = CREATED_AT_MS + 5) =>
  resolve(one, paidAt(atMs, receipt));

/** A payment that the customer has cancelled. */
export const cancelled = (one: PendingTransaction, atMs = CREATED_AT_MS + 5) =>
  resolve(one, { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs });

/** One delivery for each outcome, due at once. */
export const planDeliveries = ({ deliveries }: Store) =>
  deliveries.plan(() => [{ form: "flat", endedAtMs: CREATED_AT_MS, dueAtMs: CREATED_AT_MS }]);

/** The outcome that the customer paid. */
export function paidAt(atMs: number, receiptNumber: string): Paid {
  return { status: "completed", resultCode: 0, resultDesc: "paid", receiptNumber, atMs };
}

/** A usual order of a merchant: KES 100. */
export function orderTo(paymentAccountId: number, changes: Partial<PaymentOrder> = {}): PaymentOrder {
  return {
    kind: "api",
    paymentAccountId,
    phone: "254712345678" as Msisdn,
    amountCents: 10_000 as AmountCents,
    reference: null,
    description: null,
    instruction: null,
    ...changes,
  };
}

/** A usual prompt: KES 100, a phone that is not a test phone, 60 s until the deadline. */
export function promptOf(changes: Partial<Prompt> = {}): Prompt {
  const { checkoutRequestId, merchantRequestId, ...facts } = factsOf();
  const { paymentAccountId, phone, amountCents, reference, description } = facts;
  return {
    checkoutRequestId,
    merchantRequestId,
    paymentAccountId,
    phone,
    amountCents,
    reference,
    description,
    pushedAtMs: CREATED_AT_MS,
    expiresAtMs: CREATED_AT_MS + 60_000,
    instruction: null,
    ...changes,
  };
}
