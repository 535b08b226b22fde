import { shown } from "../../src/domain/error.ts";
import { toShillings } from "../../src/domain/money.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { FinalTransaction } from "../../src/domain/transaction.ts";

/** A message as a shop's real provider sends it: JSON in which `"{{status}}"` stands for a value of the payment. */
export type Template = Readonly<Record<string, unknown>>;

const MAX_TEMPLATE_BYTES = 4096;

type Value = string | number | boolean | null;

const VALUES: Readonly<Record<string, (payment: FinalTransaction, atMs: number) => Value>> = {
  status: ({ status }) => status,
  success: ({ status }) => status === "completed",
  reference: ({ reference }) => reference,
  description: ({ description }) => description,
  checkout_request_id: ({ checkoutRequestId }) => checkoutRequestId,
  merchant_request_id: ({ merchantRequestId }) => merchantRequestId,
  transaction_id: ({ id }) => id,
  transaction_code: (payment) => (payment.status === "completed" ? payment.transactionCode : null),
  receipt: receiptOf,
  amount: ({ amountCents }) => toShillings(amountCents),
  fee_amount: ({ feeCents }) => toShillings(feeCents),
  phone: ({ phone }) => phone,
  result_code: ({ resultCode }) => resultCode,
  result_desc: ({ resultDesc }) => resultDesc,
  created_at: ({ createdAtMs }) => formatTimestamp(createdAtMs),
  ended_at: (_payment, atMs) => formatTimestamp(atMs),
};

export const TEMPLATE_NAMES = Object.keys(VALUES);

const NAMED = /\{\{\s*([^{}]*?)\s*\}\}/g;

export function receiptOf(payment: FinalTransaction): string | null {
  return payment.status === "completed" ? payment.receiptNumber : null;
}

/** What a template must be and is not; null if it can be sent. */
export function problemOfTemplate(template: Template): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(template)).length;
  if (bytes > MAX_TEMPLATE_BYTES) return `must have at most ${MAX_TEMPLATE_BYTES} bytes as JSON; it has ${bytes}`;
  const names: string[] = [];
  const broken: string[] = [];
  visitTexts(template, (text) => {
    for (const [, name = ""] of text.matchAll(NAMED)) names.push(name);
    if (/\{\{|\}\}/.test(text.replace(NAMED, ""))) broken.push(text);
  });
  const known = `the names are ${TEMPLATE_NAMES.join(", ")}`;
  if (broken.length > 0) return `must close each {{ with }}, around a name; ${known}`;
  const unknown = names.find((name) => !Object.hasOwn(VALUES, name));
  if (unknown !== undefined) return `must name values of the payment, and ${shown(unknown)} is none; ${known}`;
  if (names.length === 0) return `must name a value of the payment, such as "{{status}}"; ${known}`;
  return null;
}

/** The message of a payment. A text that is only a name becomes the value itself: a number stays a number. */
export function fillTemplate(template: Template, payment: FinalTransaction, atMs: number): unknown {
  const read = (name: string): Value => VALUES[name]?.(payment, atMs) ?? null;
  return mapTexts(template, (text) => {
    const [only] = text.matchAll(NAMED);
    if (only?.[0] === text.trim()) return read(only[1] ?? "");
    return text.replace(NAMED, (_whole, name: string) => String(read(name) ?? ""));
  });
}

function visitTexts(json: unknown, visit: (text: string) => void): void {
  mapTexts(json, (text) => {
    visit(text);
    return text;
  });
}

function mapTexts(json: unknown, map: (text: string) => Value): unknown {
  if (typeof json === "string") return map(json);
  if (Array.isArray(json)) return json.map((one) => mapTexts(one, map));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, mapTexts(value, map)]));
}
