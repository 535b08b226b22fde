import { formatDuration } from "../../src/domain/duration.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { endingOf } from "./choice.ts";
import { DECIDERS, type Decider, readMemo, type Script } from "./script.ts";

/** Why a payment has its outcome, and when the network answers or answered; null if it does not. The names are those of the JSON. */
export function decidedBy(transaction: Transaction) {
  const script = readMemo(transaction.memo);
  const { outcome, result, atMs, by } = script;
  if (wasOvertaken(script, transaction)) return byDeadline(script, transaction);
  const in_words = `${decider(by)} ${by.who === "person" ? "answered" : "decided"}: ${course(script, transaction)}.`;
  return {
    ...by,
    outcome,
    ...(result && { result_code: result.code, result_desc: result.desc }),
    at_ms: atMs,
    in_words,
  };
}

/** Whether the deadline came before the decided outcome. */
function wasOvertaken({ outcome, atMs }: Script, { status, expiresAtMs }: Transaction): boolean {
  if (status !== "expired") return false;
  if (outcome === "manual") return true;
  // The network's own `expired` comes at the deadline, unless it was given a later time.
  return atMs !== null && (outcome === "expired" ? atMs > expiresAtMs : atMs >= expiresAtMs);
}

function byDeadline(script: Script, transaction: Transaction) {
  const { expiresAtMs } = transaction;
  const before = `${decider(script.by)} had decided: ${course(script, transaction)}`;
  const in_words = `The prompt's time was over ${lasted(expiresAtMs, transaction)} after the start. ${before}.`;
  return { who: "deadline", outcome: "expired", at_ms: expiresAtMs, in_words } as const;
}

const decider = (by: Decider): string => (by.who === "rule" ? `Rule ${by.rule}` : DECIDERS[by.who]);

function course({ outcome, result, atMs }: Script, transaction: Transaction): string {
  const code = result === undefined ? "" : ` (${result.code})`;
  if (atMs !== null) return `${outcome}${code}, ${lasted(atMs, transaction)} after the start`;
  return endingOf({ outcome }).by === "hand"
    ? `${outcome}, which waits for an answer by hand`
    : `${outcome}, which the network never answers`;
}

/** An answer by hand comes at any time: `13.2s` says enough. */
function lasted(untilMs: number, { createdAtMs }: Transaction): string {
  const ms = untilMs - createdAtMs;
  return ms > 1000 && ms % 1000 > 0 ? `${Math.round(ms / 100) / 10}s` : formatDuration(ms);
}
