import { numberOfCode, numberOfReceipt } from "../../src/domain/identifiers.ts";
import { shown } from "./call.ts";
import type { Payment, PaymentBook } from "./payments.ts";
import { membersIn, type Reading } from "./rules.ts";

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
export function noteNamed(payments: PaymentBook, reading: Reading): Named | null {
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
  const parts = path.split(/[/?]/).filter((part) => part.length >= SHORTEST_PART);
  return [
    ...Object.entries(membersIn(reading) ?? {}),
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
  const number =
    namesOne(name) && /^[0-9]{1,15}$/.test(sent) ? Number(sent) : (numberOfCode(sent) ?? numberOfReceipt(sent));
  const numbered = number === null ? undefined : payments.byNumber(number);
  if (numbered) return { payment: numbered, form: `the ${numberName(sent)} of the payment`, sent };
  const plain = lettersOf(decoded(sent));
  // The newest first.
  for (const payment of [...payments.all()].reverse()) {
    const form = formOf(payment, name, sent, plain);
    if (form !== null) return { payment, form, sent };
  }
  return null;
}

function numberName(sent: string): string {
  if (/^[0-9]+$/.test(sent)) return "transaction_id";
  return numberOfCode(sent) === null ? "momo_receipt_number" : "transaction_code";
}

/** How a text names this payment; null if it does not. */
function formOf(payment: Payment, name: string, sent: string, plain: string): string | null {
  if (sent === payment.merchantRequestId) return "the merchant_request_id of the payment";
  if (sent === payment.reference && namesOne(name)) return "the reference of the payment";
  if (plain.length < SHORTEST_PART) return null;
  const id = lettersOf(payment.checkoutRequestId);
  if (plain === id) return "the id in another encoding";
  if (plain.includes(id)) return "the id with more around it";
  return id.includes(plain) ? `${sent.length} of the ${payment.checkoutRequestId.length} characters of the id` : null;
}

const placeOf = (name: string): string =>
  name === "" ? "the id as a part of the path" : `the id as “${shown(name)}” instead of “${MEMBER}”`;

const lettersOf = (text: string): string => text.replaceAll(/[^0-9a-z]/gi, "").toUpperCase();

/** The text without percent-encoding or Base64. */
function decoded(text: string): string {
  const bytes = Buffer.from(text, "base64").toString("latin1");
  if (bytes.startsWith("ws_")) return bytes;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
