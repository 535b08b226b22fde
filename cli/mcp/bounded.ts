import { redact } from "../../src/domain/redact.ts";
import { visibleLines } from "../../src/domain/visible.ts";

/** About 6,000 tokens. */
const MOST_CHARACTERS = 20_000;
const OLDEST_FIRST = ["prompts", "requests", "webhooks", "deliveries"];

/**
 * An answer that fits: of its longest list, entries are left out until it does, and `entries_left_out` says how many.
 * No answer has a secret, or text with characters that its reader does not see.
 */
export function bounded(answer: Record<string, unknown>): Record<string, unknown> {
  const whole = JSON.parse(redact(JSON.stringify(answer)), (_name, value: unknown) =>
    typeof value === "string" ? visibleLines(value) : value,
  ) as Record<string, unknown>;
  const leftOut: Record<string, number> = {};
  const lists = Object.entries(whole).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const excess = () => JSON.stringify(whole).length - MOST_CHARACTERS;
  while (excess() > 0) {
    const [longest] = lists.toSorted(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length);
    if (!longest || longest[1].length === 0) break;
    const [name, entries] = longest;
    const half = Math.ceil(entries.length / 2);
    // Of lists with the oldest entry first, the first and the last ones stay.
    const from = OLDEST_FIRST.includes(name) && entries.length > 1 ? 1 : entries.length - half;
    const removed = entries.splice(from, half).length;
    leftOut[name] = (leftOut[name] ?? 0) + removed;
  }
  return Object.keys(leftOut).length === 0 ? whole : { ...whole, entries_left_out: leftOut };
}
