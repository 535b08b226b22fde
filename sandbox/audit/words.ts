import { redact } from "../../src/domain/redact.ts";
import { visible } from "../../src/domain/visible.ts";
import type { AnsweredRequest } from "../request-log.ts";

/** Words of messages that several rules need. */

const MOST_SHOWN = 100;

/** A text from the client for a message: one line, no secret, bounded length. */
export function clean(text: string, most = MOST_SHOWN): string {
  const line = visible(redact(text));
  if (line.length <= most) return line.toWellFormed();
  const start = line.slice(0, most);
  // A quote that was cut is closed.
  const quotes = start.replaceAll(/\\./g, "").split('"').length - 1;
  return `${start}…${quotes % 2 === 0 ? "" : '"'}`.toWellFormed();
}

/** A duration in words. */
export function inSeconds(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${Math.round(durationMs / 100) / 10} s`;
}

/** The message in an answer; the text itself if it has none. */
export const messageOf = ({ said, answer }: Pick<AnsweredRequest, "said" | "answer">): string =>
  typeof said.message === "string" ? said.message : (answer ?? "no answer");

/** A poll in one line of code. */
export const rightPoll = (base: string): string =>
  `await fetch(origin + "${base}/status.php", { method: "POST", headers, body: JSON.stringify({ checkout_request_id }) })`;

/** What else helps where the lenient form takes what was refused. */
export const LENIENT_ADVICE = " For a program that stays as it is: --accept lenient takes it.";

export const STOP_AT_FINAL =
  "Stop at the first of “completed”, “failed”, “cancelled” and “expired”: a final status never changes.";

/** How to look for a payment. The documents have the same text. */
export const HOW_TO_LOOK =
  "Look with GET /transactions.php?search= and the reference, percent-encoded. A search finds each reference with this start, and rows carry none: compare the phone and the amount of each row, but never its time, because clocks differ. Give each order a reference of its own that is not all digits and not the start of another one: ORDER-0001, not ORDER-1. Only an answer with 200 says that nothing was found, and a payment can still come after it.";

/** What repeats a push without the program's knowledge, where its answer was lost. */
export const WHO_REPEATS =
  "If your code did not repeat it, its HTTP library or a proxy did: switch that off for this request (axios-retry; OkHttp; HttpURLConnection; Go, where it sends an Idempotency-Key header; proxy_next_upstream of nginx).";
