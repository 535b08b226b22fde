import assert from "node:assert/strict";
import { MAX_DURATION_MS } from "../../src/domain/duration.ts";
import { LAST_INSTANT_MS } from "./clock.ts";
import { endingOf, type OutcomeName, parseOutcomeName } from "./outcomes.ts";
import type { Decider, Script } from "./script.ts";

/** A script as the memo of its transaction: a short text, such as `completed 1790000000000 rule:2`. */
export function writeMemo({ outcome, atMs, by }: Script): string {
  return `${outcome} ${atMs ?? "-"} ${by.who === "rule" ? `rule:${by.rule}` : by.who}`;
}

/** What a memo says. Old memos do not say who decided. */
export interface Memo {
  readonly outcome: OutcomeName;
  readonly atMs: number | null;
  readonly by: Decider | null;
}

/** The script that {@link writeMemo} wrote, today or earlier (`completed 1790000000000`, `manual`). */
export function readMemo(memo: string): Memo {
  const [name = "", at = "-", by] = memo.split(" ");
  const atMs = at === "-" ? null : Number(at);
  assert(atMs === null || Number.isSafeInteger(atMs), `not a memo of momo: ${memo}`);
  return { outcome: parseOutcomeName(name, "the memo"), atMs, by: by === undefined ? null : readDecider(by) };
}

/** Whether it is a memo that the network can read: for imported copies. */
export function isMemo(memo: string): boolean {
  try {
    const { outcome, atMs } = readMemo(memo);
    if (atMs === null) return true;
    return endingOf(outcome).by === "network" && atMs >= 0 && atMs <= LAST_INSTANT_MS + MAX_DURATION_MS;
  } catch {
    return false;
  }
}

function readDecider(text: string): Decider {
  const rule = /^rule:([1-9][0-9]{0,8})$/.exec(text)?.[1];
  if (rule !== undefined) return { who: "rule", rule: Number(rule) };
  switch (text) {
    case "header":
    case "network_limit":
    case "test_phone":
    case "default":
    case "person":
      return { who: text };
    default:
      return assert.fail(`not a decider of momo: ${text}`);
  }
}
