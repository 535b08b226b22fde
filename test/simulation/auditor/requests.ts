import type { Answer, Sent } from "../events.ts";
import type { Judge } from "./auditor.ts";
import { Anything, Discrepancy, demand, difference, someText } from "./discrepancy.ts";
import { toCents } from "./money.ts";

/** What of a request is wrong, and what an answer must look like whatever it says. */

export function pathOf({ target }: Sent): { path: string; query: string } {
  const [path = "", query = ""] = target.split("?");
  return { path, query };
}

/** The object in a body; null where the content type or the JSON is not as it must be. */
export function readObject({ headers, body }: Sent): Record<string, unknown> | null {
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(headers["Content-Type"] ?? "")) return null;
  try {
    const value: unknown = JSON.parse(body ?? "");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const isText = (value: unknown, most: number) => typeof value === "string" && [...value].length <= most;

/** The members of an order for a payment (§4.1) that are missing or wrong. */
export function wrongMembers(order: Record<string, unknown>): string[] {
  const { payment_account_id, phone, amount, reference, description } = order;
  const checks: Record<string, boolean> = {
    payment_account_id: Number.isSafeInteger(payment_account_id),
    phone: typeof phone === "string" && /^(254|0)[0-9]{9}$/.test(phone),
    amount: toCents(amount) !== null,
    reference: reference === undefined || isText(reference, 100),
    description: description === undefined || isText(description, 182),
  };
  return Object.keys(checks).filter((name) => !checks[name]);
}

/** What is never told to a caller. */
const SECRETS = /\bms_|\bmk_|SQL|constraint|\bat \S+:\d+|\.ts\b|node_modules|undefined|\[object|NaN|Error:/;

/** The error body of §7: exactly `success` and `message`, and the message names what is wrong. */
export function demandFailure({ status, body }: Answer, expected: number, mentions: readonly string[] = []): string {
  const wrong = difference({ status, body }, { status: expected, body: { success: false, message: someText } });
  demand(wrong === null, String(wrong));
  const { message } = body as { message: string };
  demand(!SECRETS.test(message), `a caller is told: ${message}`);
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

export const someNumber = new Anything("a number from 1", (value) => Number.isInteger(value) && (value as number) >= 1);

/** A bug that a caller is told of; or a commit that was made to fail. */
export function isInternalError({ status, body }: Answer): boolean {
  return status === 500 && (body as { message?: unknown }).message === "internal server error";
}

/** An answer that was lost says nothing. */
export function onAnswer(judge: (answer: Answer) => unknown): Judge {
  return (answer) => {
    if (answer !== "lost") judge(answer);
  };
}

/** Refusals that must not differ, so that nobody learns from them what is another's. */
export class SameWords {
  #words: string | null = null;

  constructor(readonly about: string) {}

  hold(message: string): void {
    this.#words ??= message;
    if (this.#words === message) return;
    throw new Discrepancy(`of ${this.about} it says once "${this.#words}" and once "${message}"`);
  }
}
