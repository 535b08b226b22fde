import type { FilterName } from "../../../src/domain/filters.ts";
import type { Answer, Sent } from "../events.ts";
import type { Payment } from "./book.ts";
import { Discrepancy, dayInNairobi, demand, difference, rowOf, someText, toKes } from "./views.ts";

/** The list of §4.3, computed from all payments in the plainest way. */

export interface Query {
  readonly page: number;
  readonly limit: number;
  readonly filters: Readonly<Record<string, string | number>>;
}

const NUMBERS = ["page", "limit", "id"];

/** Reads a query string without mistakes. */
export function readQuery(text: string): Query {
  const read = [...new URLSearchParams(text)].map(([name, value]) => {
    if (NUMBERS.includes(name)) return [name, Number(value)];
    return [name, name === "type" || name === "status" ? value.toLowerCase() : value];
  });
  const { page = 1, limit = 10, ...filters } = Object.fromEntries(read) as Record<string, string | number>;
  return { page: Number(page), limit: Number(limit), filters };
}

/** A merchant's payments that the filters select, newest first. */
export function select(payments: Iterable<Payment>, merchantId: number, filters: Query["filters"]): Payment[] {
  return [...payments]
    .filter((payment) => payment.merchantId === merchantId && fits(payment, filters))
    .sort((a, b) => b.createdAtMs - a.createdAtMs || (b.id ?? 0) - (a.id ?? 0));
}

/** The compiler refuses a filter that is missing here. */
const FITS: Record<FilterName, (value: string | number, payment: Payment) => boolean> = {
  type: (kind, payment) => payment.kind === kind,
  status: (status, { end }) => (end?.status ?? "pending") === status,
  date_from: (day, { createdAtMs }) => dayInNairobi(createdAtMs) >= String(day),
  date_to: (day, { createdAtMs }) => dayInNairobi(createdAtMs) <= String(day),
  search: (search, payment) => isFoundBy(payment, String(search)),
  id: (id, payment) => payment.id === id,
};

function fits(payment: Payment, filters: Query["filters"]): boolean {
  return Object.entries(filters).every(([name, value]) => FITS[name as FilterName](value, payment));
}

/** By the start of phone or reference, or by a whole identifier, in any letter case; the plus of a phone may be a space. */
function isFoundBy(payment: Payment, search: string): boolean {
  const national = payment.phone.slice(3);
  const { end, reference, checkoutRequestId, merchantRequestId, transactionCode } = payment;
  const identifiers = [checkoutRequestId, merchantRequestId, transactionCode, end?.receipt];
  const phones = [national, `0${national}`, `254${national}`, `+254${national}`];
  const startsWith = (text: string | null | undefined, start: string) =>
    text?.toLowerCase().startsWith(start.toLowerCase()) ?? false;
  const typed = search.replace(/^ (?=[0-9])/, "+");
  return (
    identifiers.some((text) => text?.toLowerCase() === search.toLowerCase()) ||
    startsWith(reference, search) ||
    phones.some((text) => startsWith(text, typed))
  );
}

/** The answer, without `success` and `message`. */
export function listOf(selected: readonly Payment[], { page, limit, filters }: Query) {
  const rows = selected.slice((page - 1) * limit, page * limit).map((payment) => rowOf(payment, payment.end));
  const withStatus = (status: string) => selected.filter(({ end }) => (end?.status ?? "pending") === status);
  const completed = withStatus("completed");
  return {
    transactions: rows,
    summary: {
      total_completed_amount: toKes(completed.reduce((sum, { amountCents }) => sum + amountCents, 0)),
      completed_count: completed.length,
      pending_count: withStatus("pending").length,
      failed_count: withStatus("failed").length,
    },
    pagination: {
      current_page: page,
      per_page: limit,
      total_items: selected.length,
      total_pages: Math.ceil(selected.length / limit),
    },
    filters_applied: filters,
  };
}

/** The parts of a request, and what holds for every answer. */

export function pathOf({ target }: Sent): { path: string; query: string } {
  const [path = "", query = ""] = target.split("?");
  return { path, query };
}

/** The object in a body; empty if there is none. */
export const bodyOf = ({ body }: Sent): Record<string, unknown> => JSON.parse(body ?? "{}") as Record<string, unknown>;

/** What no caller may see. */
const SECRETS = /\bms_|\bmk_|SQL|constraint|\bat \S+:\d+|\.ts\b|node_modules|undefined|\[object|NaN|Error:/;

/** The error body of §7: exactly `success` and `message`, and the message names what is wrong. The control API adds its issues. */
export function demandFailure(answer: Answer, expected: number, mentions: readonly string[] = []): string {
  const { issues = [], ...body } = answer.body as Record<string, unknown>;
  demand(Array.isArray(issues), `the issues of a refusal are ${JSON.stringify(issues)}`);
  const given = { status: answer.status, body };
  const wrong = difference(given, { status: expected, body: { success: false, message: someText } });
  demand(wrong === null, String(wrong));
  const { message } = body as { message: string };
  demand(!SECRETS.test(message), `a message shows internals: ${message}`);
  for (const mention of mentions) demand(message.includes(mention), `the message does not name ${mention}: ${message}`);
  return message;
}

/** HTTP 200 with exactly these members besides `success` and `message`. */
export function demandSuccess(answer: Answer, members: object): Record<string, unknown> {
  const expected = { status: 200, allow: null, body: { success: true, message: someText, ...members } };
  const wrong = difference(answer, expected);
  demand(wrong === null, String(wrong));
  return answer.body as Record<string, unknown>;
}

/** A bug of the program, or a commit that the simulation let fail. */
export function isInternalError({ status, body }: Answer): boolean {
  return status === 500 && (body as { message?: unknown }).message === "internal server error";
}

/** Refusals with one wording, so that a caller cannot learn from them what belongs to others. */
export class SameWords {
  #words: string | null = null;

  constructor(readonly about: string) {}

  compare(message: string): void {
    this.#words ??= message;
    if (this.#words === message) return;
    throw new Discrepancy(`of ${this.about} it says once "${this.#words}" and once "${message}"`);
  }
}
