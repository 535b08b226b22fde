import { redact } from "./redact.ts";
import { visible } from "./visible.ts";

/** `account`: it is not the merchant's. `conflict`: it has happened already, and cannot happen again. `unavailable`: another server cannot be reached. */
export type RefusalKind =
  | "invalid"
  | "account"
  | "unauthorized"
  | "not_found"
  | "conflict"
  | "stopping"
  | "unavailable"
  | "provider";

/** What is wrong at one place of an input. */
export interface Issue {
  /** The member, parameter or header, as in `rules[2].match.phone`; empty for all members together, `body` for a body without any. */
  readonly path: string;
  /** What must be so, whatever the value is. */
  readonly rule: string;
  /** The value that came, as {@link receivedText} shows it. */
  readonly received?: string;
}

/** A refusal. Its message is sent to the client unchanged, and says what is wrong and what would be right. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  /** @param issues what is wrong where; empty if the kind says it */
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly issues: readonly Issue[] = [],
  ) {
    super(message);
  }
}

/** What a refusal says, as data. */
export type RefusalFacts = Pick<Refusal, "kind" | "issues">;

export const invalid = (message: string, issues?: readonly Issue[]): Refusal => new Refusal("invalid", message, issues);

/**
 * A refusal of one value.
 * @param path the name of the value, such as `after` or `--after`
 * @param rule what is wrong with it, as the predicate of a sentence about it: `must be …`, `is not …`
 */
export const invalidAt = (path: string, rule: string): Refusal => invalid(`${path} ${rule}`, [{ path, rule }]);

/**
 * The rule that a value broke.
 * @param error what a function that reads one value threw
 * @throws the error itself if it is another
 */
export function brokenRule(error: unknown): string {
  const rule = error instanceof Refusal ? error.issues[0]?.rule : undefined;
  if (rule === undefined) throw error;
  return rule;
}

/** Refusals show the received value: in one line at most, without secrets, and without control characters for a terminal. */

const MAX_SHOWN = 40;

/**
 * The value that a member or parameter has.
 * @param isOtherKind whether the rule needs another kind of value: then the kind is named, too
 * @param digits a number as it was sent, where that is known
 */
export function receivedText(value: unknown, isOtherKind: boolean, digits?: string): string {
  const names = isOtherKind && (typeof value === "string" || typeof value === "number");
  return `${names ? `${kindOf(value)}, ` : ""}${shown(value, digits)}`;
}

/** The end of a refusal: the value that came. */
export const whatCame = (value: unknown): string => `; it is ${receivedText(value, false)}`;

/** A value in JSON. For an object or an array only the kind is named. */
export function shown(value: unknown, digits?: string): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "number") return typeof value === "object" ? kindOf(value) : String(value);
  const text = digits !== undefined && digits.length <= MAX_SHOWN ? digits : String(value);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return text;
  return text === "Infinity" || text === "-Infinity" ? "too large" : `${text}, which is too large`;
}

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function quoted(text: string): string {
  // Redact before cutting: half a secret is not recognised.
  const redacted = redact(text);
  const characters = redacted.length > MAX_SHOWN ? [...redacted] : [];
  const isCut = characters.length > MAX_SHOWN;
  const json = JSON.stringify(isCut ? `${characters.slice(0, MAX_SHOWN).join("")}…` : redacted);
  return visible(json) + (isCut ? `, ${[...text].length} characters` : "");
}

/**
 * Reads text with a function of the domain, and adds the text to its refusal.
 * @throws Refusal as the function does
 */
export function readNaming<T>(text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.kind, error.message + whatCame(text), error.issues);
  }
}
