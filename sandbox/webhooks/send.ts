import type { Clock } from "../../src/domain/clock.ts";
import type { DeliveryAttempt } from "../../src/domain/delivery.ts";
import { shown } from "../../src/domain/error.ts";
import type { WebhookMessage } from "./message.ts";

export type SendResult = Pick<DeliveryAttempt, "status" | "answer" | "problem">;

/** The time-out for the answer, in real time. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** The time-out for the body. Only the status counts, so a missing body is no failure. */
const BODY_TIMEOUT_MS = 1000;

const MAX_BODY_BYTES = 4096;
const KEPT_LENGTH = 500;

/** POSTs a message once. Follows no redirect, and reads no more than the beginning of the answer. Never rejects. */
export async function send(
  url: string,
  { headers, body }: WebhookMessage,
  { realClock, ended }: { readonly realClock: Clock; readonly ended: AbortSignal },
): Promise<SendResult> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const leaveAfter = (durationMs: number) => realClock.alarm(realClock.nowMs() + durationMs, leave);
  ended.addEventListener("abort", leave);
  let cancelAlarm = leaveAfter(ANSWER_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Accept-Encoding": "identity" },
      body,
      redirect: "manual",
      signal: leaving.signal,
      keepalive: false,
      // A small compressed answer could become a large one.
      decompress: false,
    });
    cancelAlarm();
    cancelAlarm = leaveAfter(BODY_TIMEOUT_MS);
    return { status: response.status, answer: await beginningOf(response), problem: problemOf(response, url) };
  } catch (error) {
    return {
      status: null,
      answer: null,
      problem: withoutAnswer(error as NodeJS.ErrnoException, new URL(url).protocol),
    };
  } finally {
    cancelAlarm();
    ended.removeEventListener("abort", leave);
    leave();
  }
}

function problemOf({ status, headers }: Response, url: string): string | null {
  if (status >= 200 && status < 300) return null;
  if (status < 300 || status >= 400) return "only 2xx counts as delivered";
  const target = URL.parse(headers.get("Location") ?? "", url);
  const isShown = headers.has("Location") && target !== null && /^https?:$/.test(target.protocol);
  return `it redirects${isShown ? ` to ${shown(placeOf(target, url))}` : ""}, and redirects are not followed`;
}

/** A redirect often repeats the address of the webhook, whose host, password and query logs do not show. */
const placeOf = ({ origin, pathname, search }: URL, url: string): string =>
  `${origin === new URL(url).origin ? "" : origin}${pathname}${search && "?…"}`;

/** What a certificate lacks that this process does not know. */
const UNKNOWN_ISSUER = /SELF_SIGNED|UNABLE_TO_|UNKNOWN_CA/;

function withoutAnswer({ name, code = name }: NodeJS.ErrnoException, protocol: string): string {
  if (name === "AbortError") return `no answer within ${ANSWER_TIMEOUT_MS / 1000} s`;
  if (code === "ConnectionRefused" || code === "ECONNREFUSED") return "nothing answers at this address";
  return `the connection failed (${code})${causeOf(code, protocol)}`;
}

function causeOf(code: string, protocol: string): string {
  if (UNKNOWN_ISSUER.test(code))
    return ": for a certificate of your own, start momo with NODE_EXTRA_CA_CERTS=FILE, where FILE has the certificate or its CA";
  if (code.includes("ALTNAME")) return ": the certificate is for another host name";
  if (code === "EPROTO" && protocol === "https:") return ": the receiver does not speak https, so try http://";
  if (code === "ECONNRESET" && protocol === "http:") return ": an https receiver does this, so try https://";
  return "";
}

async function beginningOf({ body }: Response): Promise<string | null> {
  if (body === null) return null;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < MAX_BODY_BYTES) {
      const { value, done } = await reader.read();
      if (done) break;
      bytes += value.length;
      chunks.push(value.subarray(0, MAX_BODY_BYTES));
    }
  } catch {
    // The body is incomplete or too late: the status is enough.
  }
  void reader.cancel().catch(() => {});
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES)).slice(0, KEPT_LENGTH);
}
