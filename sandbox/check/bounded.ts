import { readOrNull } from "../../src/domain/read-or-null.ts";

/** Answers as the checks read them: whatever a service sends, it is a bounded value of valid Unicode. */

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const DEEPEST = 16;
/** Characters of one string, or of a name. */
const LONGEST = 3000;
/** Characters in sum; each value counts as 16 more. A page of 100 full transactions has 80,000. */
const MOST = 300_000;

/** `String(value)` would call them. */
const CALLED = ["toString", "valueOf"];

/** The body of an answer where it is a JSON object. What is too deep, too long or too much is left out. */
export function objectIn(text: string): Json | null {
  let room = MOST;
  function bounded(value: unknown, depth: number): unknown {
    room -= 16;
    if (typeof value === "string") {
      const start = value.slice(0, LONGEST).toWellFormed();
      room -= start.length;
      return start;
    }
    if (typeof value !== "object" || value === null) return value;
    const members: [name: string, member: unknown][] = [];
    for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (depth === DEEPEST || room < 0) break;
      const name = String(key).slice(0, LONGEST).toWellFormed();
      if (CALLED.includes(name)) continue;
      room -= name.length;
      members.push([name, bounded(member, depth + 1)]);
    }
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }
  const value = readOrNull(() => JSON.parse(text) as unknown);
  return isObject(value) ? (bounded(value, 0) as Json) : null;
}
