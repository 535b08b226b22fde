import type { Story } from "../wire.ts";
import { answerIn } from "./calls.ts";
import { instantOf } from "./format.ts";

export interface Mark {
  readonly what: "poll" | "webhook";
  /** The position on the line, from 0 to 1. */
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

/** The life of a payment on a line to scale: prompt, polls and end. Positions are fractions of the line, from 0 to 1. */
export function timelineOf(story: Pick<Story, "transaction" | "prompt" | "decided_by" | "requests" | "webhooks">) {
  const { transaction, prompt, decided_by, requests, webhooks } = story;
  const start = requests.find(({ target }) => target.includes("/stkpush.php"));
  const startMs = start?.at_ms ?? instantOf(transaction.created_at);
  const polls = requests.filter((request) => request !== start).slice(-MOST_MARKS);
  const attempts = webhooks.flatMap(({ attempts: tried }) => tried).slice(-MOST_MARKS);
  const endMs = decided_by.at_ms ?? (transaction.status === "pending" ? null : prompt.expires_at_ms);
  const marksMs = [...polls, ...attempts].map(({ at_ms }) => at_ms);
  const lastMs = Math.max(prompt.expires_at_ms, endMs ?? 0, ...marksMs);
  // For a payment that ended early, show only the part with events.
  const busyMs = Math.max(endMs ?? lastMs, ...marksMs);
  const lengthMs = Math.max(10_000, transaction.status === "pending" ? lastMs - startMs : (busyMs - startMs) * 1.1);
  const at = (ms: number) => Math.min(1, Math.max(0, (ms - startMs) / lengthMs));
  const markOf = (what: Mark["what"], atMs: number, answer: string, pace: Mark["pace"] = "right"): Mark => ({
    what,
    at: at(atMs),
    offsetMs: atMs - startMs,
    words: `${what}, ${answer}`,
    pace,
  });
  return {
    lengthMs,
    /** The prompt timeout. */
    expiresAt: at(prompt.expires_at_ms),
    /** Also a decided end in the future; null if a person must answer the prompt. */
    endsAt: endMs === null ? null : at(endMs),
    /** The recommended times of the next poll: 3 to 5 s after each request. */
    bands: [startMs, ...polls.map(({ at_ms }) => at_ms)]
      .map((ms) => ({ from: at(ms + SOONEST_MS), to: at(ms + LATEST_MS) }))
      .filter(({ from, to }) => to > from),
    marks: [
      ...polls.map((poll) => markOf("poll", poll.at_ms, `HTTP ${answerIn(poll)}`, paceOf(poll.interval_ms))),
      ...attempts.map(({ at_ms, status }) =>
        markOf("webhook", at_ms, status === null ? "no answer" : `HTTP ${status}`),
      ),
    ],
  };
}

function paceOf(intervalMs: number | null): Mark["pace"] {
  if (intervalMs === null) return "right";
  if (intervalMs < SOONEST_MS - TOLERANCE_MS) return "early";
  return intervalMs > LATEST_MS + TOLERANCE_MS ? "late" : "right";
}
