import { formatDuration } from "../../src/domain/duration.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { endingOf, type OutcomeName } from "./outcomes.ts";
import { type Decider, type Memo, readMemo } from "./script.ts";

/** Why a payment has its outcome. */
export interface Decision {
  readonly who: Decider["who"] | "deadline";
  /** The rule's place in the list when it decided, from 1; null if it was no rule. */
  readonly rule: number | null;
  readonly outcome: OutcomeName;
  /** When the network answers or answered; null if it does not. */
  readonly atMs: number | null;
  readonly inWords: string;
}

/** Who decided the outcome of a payment. Null for payments of old versions, which did not store it. */
export function decidedBy(transaction: Transaction): Decision | null {
  const memo = readMemo(transaction.memo);
  if (memo.by === null) return null;
  if (wasOvertaken(memo, transaction)) return byDeadline(memo, memo.by, transaction);
  return {
    who: memo.by.who,
    rule: memo.by.who === "rule" ? memo.by.rule : null,
    outcome: memo.outcome,
    atMs: memo.atMs,
    inWords: `${decider(memo.by)} ${memo.by.who === "person" ? "answered" : "decided"}: ${course(memo, transaction)}.`,
  };
}

/** Whether the deadline came before the decided outcome. */
function wasOvertaken({ outcome, atMs }: Memo, { status, expiresAtMs }: Transaction): boolean {
  if (status !== "expired") return false;
  return outcome === "manual" || (atMs !== null && atMs >= expiresAtMs && outcome !== "expired");
}

function byDeadline(memo: Memo, by: Decider, transaction: Transaction): Decision {
  const before = `${decider(by)} had decided: ${course(memo, transaction)}`;
  return {
    who: "deadline",
    rule: null,
    outcome: "expired",
    atMs: transaction.expiresAtMs,
    inWords: `The prompt's time was over ${lasted(transaction.expiresAtMs, transaction)} after the start. ${before}.`,
  };
}

function decider(by: Decider): string {
  switch (by.who) {
    case "header":
      return "The request itself (X-Sandbox-Outcome)";
    case "rule":
      return `Rule ${by.rule}`;
    case "network_limit":
      return "The network's own limit of KES 250,000";
    case "test_phone":
      return "The number, a test phone,";
    case "default":
      return "The default of the server";
    case "person":
      return "A person, or a script in place of one,";
  }
}

function course({ outcome, atMs }: Memo, transaction: Transaction): string {
  if (atMs !== null) return `${outcome}, ${lasted(atMs, transaction)} after the start`;
  return endingOf(outcome).by === "hand"
    ? `${outcome}, to wait for an answer by hand`
    : `${outcome}, so that the network never answers`;
}

const lasted = (untilMs: number, { createdAtMs }: Transaction): string => formatDuration(untilMs - createdAtMs);
