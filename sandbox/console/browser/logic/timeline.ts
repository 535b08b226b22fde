import type { Story } from "../wire.ts";
import { instantOf } from "./format.ts";

/** The life of a payment on a line to scale: prompt, polls and end. Positions are fractions of the line, from 0 to 1. */
export interface Timeline {
  readonly lengthMs: number;
  /** The position of the prompt timeout. */
  readonly expiresAt: number;
  /** The position of the end, also of a decided end in the future; null if a person must answer the prompt. */
  readonly endsAt: number | null;
  readonly marks: readonly Mark[];
  /** The recommended times of the next poll: 3 to 5 s after each request. */
  readonly bands: readonly { readonly from: number; readonly to: number }[];
}

export interface Mark {
  readonly what: "poll" | "webhook";
  readonly at: number;
  readonly offsetMs: number;
  readonly words: string;
  /** Whether the poll was earlier or later than recommended. */
  readonly pace: "early" | "right" | "late";
}

const SOONEST_MS = 3000;
const LATEST_MS = 5000;
/** A difference this small does not count as early or late. */
const TOLERANCE_MS = 150;
/** More marks cannot be distinguished. */
const MOST_MARKS = 200;

export function timelineOf(
  story: Pick<Story, "transaction" | "prompt" | "decided_by" | "requests" | "webhooks">,
): Timeline {
  const { transaction, prompt, decided_by, requests, webhooks } = story;
  const start = requests.find(({ target }) => target.includes("/stkpush.php"));
  const startMs = start?.at_ms ?? instantOf(transaction.created_at);
  const polls = requests.filter((request) => request !== start).slice(-MOST_MARKS);
  const attempts = webhooks.flatMap(({ attempts: tried }) => tried).slice(-MOST_MARKS);
  const endMs = decided_by?.at_ms ?? (transaction.status === "pending" ? null : prompt.expires_at_ms);
  const lastMs = Math.max(
    prompt.expires_at_ms,
    endMs ?? 0,
    ...polls.map(({ at_ms }) => at_ms),
    ...attempts.map(({ at_ms }) => at_ms),
  );
  // For a payment that ended early, show only the part with events.
  const busyMs = Math.max(endMs ?? lastMs, ...polls.map(({ at_ms }) => at_ms), ...attempts.map(({ at_ms }) => at_ms));
  const lengthMs = Math.max(10_000, transaction.status === "pending" ? lastMs - startMs : (busyMs - startMs) * 1.1);
  const at = (ms: number) => Math.min(1, Math.max(0, (ms - startMs) / lengthMs));
  const asked = [startMs, ...polls.map(({ at_ms }) => at_ms)];
  return {
    lengthMs,
    expiresAt: at(prompt.expires_at_ms),
    endsAt: endMs === null ? null : at(endMs),
    bands: asked
      .map((ms) => ({ from: at(ms + SOONEST_MS), to: at(ms + LATEST_MS) }))
      .filter(({ from, to }) => to > from),
    marks: [
      ...polls.map(({ at_ms, interval_ms, status }) => ({
        what: "poll" as const,
        at: at(at_ms),
        offsetMs: at_ms - startMs,
        words: `poll, HTTP ${status ?? "lost"}`,
        pace: paceOf(interval_ms),
      })),
      ...attempts.map(({ at_ms, status }) => ({
        what: "webhook" as const,
        at: at(at_ms),
        offsetMs: at_ms - startMs,
        words: `webhook, ${status === null ? "no answer" : `HTTP ${status}`}`,
        pace: "right" as const,
      })),
    ],
  };
}

function paceOf(intervalMs: number | null): Mark["pace"] {
  if (intervalMs === null) return "right";
  if (intervalMs < SOONEST_MS - TOLERANCE_MS) return "early";
  return intervalMs > LATEST_MS + TOLERANCE_MS ? "late" : "right";
}
