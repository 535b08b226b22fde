import type { End, Payment } from "./book.ts";
import type { PredictedDefault, PredictedRule } from "./prediction.ts";

/** What both the status and the list show (§2.2): code and receipt exactly when the payment is completed. */
function commonMembers(payment: Payment, end: End | null) {
  const paidAtMs = end?.paidAtMs ?? null;
  const receipt = new Anything("a receipt number of that day", (value) => isReceipt(value, paidAtMs ?? 0));
  return {
    status: end?.status ?? "pending",
    amount: toKes(payment.amountCents),
    fee_amount: toKes(payment.feeCents),
    phone: payment.phone,
    checkout_request_id: payment.checkoutRequestId,
    merchant_request_id: payment.merchantRequestId,
    transaction_code: paidAtMs === null ? null : (payment.transactionCode ?? someText),
    momo_receipt_number: paidAtMs === null ? null : (end?.receipt ?? receipt),
    result_code: end?.code ?? null,
    result_desc: end?.desc ?? null,
    created_at: inNairobi(payment.createdAtMs),
    completed_at: paidAtMs === null ? null : inNairobi(paidAtMs),
  };
}

/** The answer of the status operation (§4.2), without `success` and `message`. */
export const statusOf = (payment: Payment) => commonMembers(payment, payment.end);

/** A transaction of the list (§2.2, §4.3). */
export function rowOf(payment: Payment, end: End | null) {
  return {
    ...commonMembers(payment, end),
    id: payment.id ?? someNumber,
    type: payment.kind.toUpperCase(),
    kind: payment.kind,
    fee_deducted: end?.status === "completed",
    is_deposit: payment.kind === "wallet_deposit",
    credit_target: null,
    payment_link_id: null,
  };
}

/** Nairobi by the time-zone tables of the system, not by an offset. */
const NAIROBI = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Africa/Nairobi",
  ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
});

/** `YYYY-MM-DD HH:MM:SS`. */
export const inNairobi = (atMs: number): string => NAIROBI.format(atMs);

export const dayInNairobi = (atMs: number): string => inNairobi(atMs).slice(0, 10);

/** How the network's receipts begin on a day: the year from A for 2006, the month from A, the day as 1 to 9 and then from A. */
function receiptDate(atMs: number): string {
  const [year = 0, month = 0, day = 0] = dayInNairobi(atMs).split("-").map(Number);
  const letter = (index: number) => String.fromCharCode(65 + index);
  return letter((year - 2006) % 26) + letter(month - 1) + (day < 10 ? String(day) : letter(day - 10));
}

export function isReceipt(value: unknown, atMs: number): boolean {
  return typeof value === "string" && /^[0-9A-Z]{10}$/.test(value) && value.startsWith(receiptDate(atMs));
}

/** Money by whole numbers and BigInt, so that no rounding error here hides one of the program. */

/** An amount in KES as whole cents. */
export function toCents(amount: unknown): number {
  const [whole, fraction = ""] = String(amount).split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

export const toKes = (cents: number): number => Number(`${cents}e-2`);

/** What a tariff such as `1.5%+10` charges, half a cent rounded up. */
export function feeOf(tariff: string, amountCents: number): number {
  const match = /^(?:([0-9.]+)%)?\+?([0-9.]+)?$/.exec(tariff);
  const share = BigInt(amountCents) * hundredths(match?.[1] ?? "0");
  // Twice the fee, plus one half before the division cuts the rest.
  return Number((share * 2n + 10_000n) / 20_000n + hundredths(match?.[2] ?? "0"));
}

function hundredths(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(2, "0"));
}

/** The program differs from the specification. */
export class Discrepancy extends Error {
  override readonly name = "Discrepancy";
}

/** @throws Discrepancy unless `holds` */
export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Discrepancy(otherwise);
}

/** A value that cannot be predicted, except for its form. */
class Anything {
  constructor(
    readonly what: string,
    readonly accepts: (value: unknown) => boolean,
  ) {}
}

export const someNumber = new Anything("a number from 1", (value) => Number.isInteger(value) && (value as number) >= 1);
export const someText = new Anything("some text", (value) => typeof value === "string" && value !== "");

/** The first difference: exactly these members with these values are expected. Null if there is none. */
export function difference(actual: unknown, expected: unknown, place = "the answer"): string | null {
  if (expected instanceof Anything) {
    return expected.accepts(actual) ? null : `${place} is ${show(actual)}, which is not ${expected.what}`;
  }
  if (typeof expected !== "object" || expected === null) {
    return Object.is(actual, expected) ? null : `${place} is ${show(actual)}, not ${show(expected)}`;
  }
  if (typeof actual !== "object" || actual === null || Array.isArray(actual) !== Array.isArray(expected)) {
    return `${place} is ${show(actual)}, not ${show(expected)}`;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const at = Array.isArray(expected) ? `${place}[${name}]` : `${place}.${name}`;
    if (!(name in expected)) return `${at} is ${show(actual[name as never])}, and should not be there`;
    if (!(name in actual)) return `${at} is missing`;
    const inner = difference(actual[name as never], expected[name as never], at);
    if (inner !== null) return inner;
  }
  return null;
}

const show = (value: unknown): string => JSON.stringify(value) ?? String(value);

/** The default of `momo serve`. */
const START_DEFAULT: PredictedDefault = { outcome: "completed" };

/** Everything but the payments: keys, accounts, the clock, and the rules. */
export class Environment {
  readonly keys = new Map<string, { readonly secret: string; readonly merchantId: number }>();
  readonly accounts = new Map<number, { readonly merchantId: number; readonly tariff: string }>();
  /** In order; `times` of a rule is counted down here. */
  rules: (PredictedRule & { readonly id: number })[] = [];
  #ruleIds = 0;
  byDefault: PredictedDefault = START_DEFAULT;
  clock: { readonly frozenAtMs: number } | { readonly aheadMs: number } = { aheadMs: 0 };

  constructor(readonly outsideMs: () => number) {}

  nowMs(): number {
    return "frozenAtMs" in this.clock ? this.clock.frozenAtMs : this.outsideMs() + this.clock.aheadMs;
  }

  /** The process forgets the rules and the default, but not the clock. */
  processEnded(): void {
    this.rules = [];
    this.#ruleIds = 0;
    this.byDefault = START_DEFAULT;
  }

  /** A new process begins with 1. */
  newRuleId(): number {
    this.#ruleIds += 1;
    return this.#ruleIds;
  }

  whoseKey(key: string): number | null {
    return this.keys.get(key)?.merchantId ?? null;
  }

  /** Headers with which a merchant's list can be read. */
  keyOf(merchantId: number): Record<string, string> {
    for (const [key, { secret, merchantId: owner }] of this.keys) {
      if (owner === merchantId) return { "X-API-Key": key, "X-API-Secret": secret };
    }
    throw new Error(`merchant ${merchantId} has no key left`);
  }
}
