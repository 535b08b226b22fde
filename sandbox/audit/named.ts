import { numberOfCode, numberOfReceipt } from "../../src/domain/identifiers.ts";
import { clean } from "./call.ts";
import type { Payment, PaymentBook } from "./payments.ts";
import type { Reading } from "./rules.ts";

/** Parameter names that stand for one payment, in lower case and letters only. */
const NAMES_ONE =
  /^(?:(?:checkout|merchant)?(?:request)?id|transaction(?:id|code|reference|ref)?|trans(?:action)?id|tx(?:n)?(?:id|ref)?|code|ref|reference(?:id|number)?|(?:external|account|order|invoice|payment)(?:id|ref|reference|number)?|(?:momo|mpesa)?receipt(?:number|no)?|(?:momo|mpesa)(?:code|transactionid))$/;

export const namesOne = (name: string): boolean => NAMES_ONE.test(name.toLowerCase().replaceAll(/[^a-z]/g, ""));

/** A payment that a request names, and how. */
export interface Named {
  readonly payment: Payment;
  /** What the request has instead of the id; null for the id itself in the member that is for it. */
  readonly form: string | null;
  /** What was sent. */
  readonly sent: string;
}

/**
 * Finds the payments that a request names in its body, its query or its path, and notes that somebody asked for them.
 * @returns the first of them
 */
export function markNamed(payments: PaymentBook, reading: Reading): Named | null {
  let first: Named | null = null;
  for (const [name, sent] of valuesIn(reading)) {
    const named = paymentNamed(payments, name, sent);
    if (!named) continue;
    named.payment.isNamed = true;
    first ??= named;
  }
  return first;
}

/** How many values of a request are looked at. */
const MOST_VALUES = 20;

/** The values of a request that may name a payment, with their names; a part of the path has none. */
function valuesIn(reading: Reading): readonly (readonly [name: string, value: string])[] {
  const { call, query } = reading;
  const path = call.target.slice(0, call.target.length - query.length);
  const parts = path.split(/[/?]/).filter((part) => part.length >= SHORTEST_PART && /[0-9]/.test(part));
  return [
    ...Object.entries(call.members ?? {}),
    ...new URLSearchParams(query),
    ...parts.map((part) => ["", part] as const),
  ]
    .slice(0, MOST_VALUES)
    .flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [],
    );
}

/** A shorter part of an id may be of another one. */
const SHORTEST_PART = 10;

const MEMBER = "checkout_request_id";

function paymentNamed(payments: PaymentBook, name: string, sent: string): Named | null {
  const known = payments.byCheckoutId(sent);
  if (known) return { payment: known, form: name === MEMBER ? null : placeOf(name), sent };
  const isNumber = /^[0-9]{1,15}$/.test(sent);
  const number = isNumber ? (namesOne(name) ? Number(sent) : null) : (numberOfCode(sent) ?? numberOfReceipt(sent));
  const numbered = number === null ? undefined : payments.byNumber(number);
  if (numbered) {
    const what = isNumber ? "transaction_id" : numberOfCode(sent) === null ? "momo_receipt_number" : "transaction_code";
    return { payment: numbered, form: `the ${what} of the payment`, sent };
  }
  return search(payments, namesOne(name), sent);
}

/** The newest payment with this merchant request id or reference. An id that was cut, or has more around it, asks for a payment too. */
function search(payments: PaymentBook, isReference: boolean, sent: string): Named | null {
  let [found, part]: [Named | null, Payment | null] = [null, null];
  for (const payment of payments.all()) {
    if (sent === payment.merchantRequestId) found = { payment, form: "the merchant_request_id of the payment", sent };
    else if (isReference && sent === payment.reference) found = { payment, form: "the reference of the payment", sent };
    else if (isPart(payment.checkoutRequestId, sent)) part = payment;
  }
  if (part) part.isNamed = true;
  return found;
}

const isPart = (id: string, sent: string): boolean =>
  sent.includes(id) || (sent.length >= SHORTEST_PART && id.includes(sent));

const placeOf = (name: string): string =>
  name === "" ? "the id as a part of the path" : `the id as “${clean(name)}” instead of “${MEMBER}”`;
