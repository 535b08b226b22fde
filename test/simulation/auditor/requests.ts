import type { Answer, Sent } from "../events.ts";
import { Discrepancy, demand, difference, someText } from "./discrepancy.ts";

/** The parts of a request, and what holds for every answer. */

export function pathOf({ target }: Sent): { path: string; query: string } {
  const [path = "", query = ""] = target.split("?");
  return { path, query };
}

/** The object in a body; empty if there is none. */
export const bodyOf = ({ body }: Sent): Record<string, unknown> => JSON.parse(body ?? "{}") as Record<string, unknown>;

/** What no caller may see. */
const SECRETS = /\bms_|\bmk_|SQL|constraint|\bat \S+:\d+|\.ts\b|node_modules|undefined|\[object|NaN|Error:/;

/** The error body of §7: exactly `success` and `message`, and the message names what is wrong. */
export function demandFailure({ status, body }: Answer, expected: number, mentions: readonly string[] = []): string {
  const wrong = difference({ status, body }, { status: expected, body: { success: false, message: someText } });
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
