import { z } from "zod";
import { counted } from "../domain/counted.ts";
import { brokenRule, type Issue, invalid, kindOf, receivedText, shown } from "../domain/error.ts";
import { nearest } from "./nearest.ts";

/**
 * Checks an input with its schema.
 * @param text of the input, if it was text
 * @param root the name of the input, such as `rules`; empty for the members of a body or a query
 * @throws Refusal `invalid` that names the place of each error, as in `rules[2].match.phone`, and the value there
 */
export function parseInput<T extends z.ZodType>(
  schema: T,
  input: unknown,
  text: string | null = null,
  root = "",
): z.output<T> {
  const parsed = schema.safeParse(input, { error: complaintOf, reportInput: true });
  if (parsed.success) return parsed.data;
  const digits = digitsIn(text);
  const reasons = new Map<string, Issue & { readonly reason: string }>();
  for (const issue of parsed.error.issues) {
    const path = placeOf(root, issue.path);
    const received = receivedIn(issue, digits);
    const reason = sentence(path, issue) + (received === null ? "" : `; it is ${received}`);
    // Of two bounds of a number the second is its own; the first is that of every whole number.
    const key = issue.code.startsWith("too_") ? `${issue.code} ${path}` : reason;
    reasons.set(key, { reason, path, rule: ruleOf(issue), ...(received !== null && { received }) });
  }
  const shownReasons = [...reasons.values()].slice(0, MAX_REASONS);
  const more = reasons.size - MAX_REASONS;
  const message = shownReasons.map(({ reason }) => reason).join("; ") + (more > 0 ? `; and ${more} more` : "");
  const issues = shownReasons.map(({ reason: _, ...issue }) => issue);
  throw invalid(message, issues);
}

/** What must be so, whatever the value is: a message that depends on it has its rule beside it. */
const ruleOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "custom" && typeof issue.params?.rule === "string" ? issue.params.rule : issue.message;

/** How many errors are listed: a thousand rules can have a thousand. */
const MAX_REASONS = 20;

/**
 * The received value of an issue; null if there is none, or if the issue is about several members. A PIN is not shown, nor an
 * address that may hold a password.
 * @param digits as {@link digitsIn} finds them
 */
function receivedIn({ code, input, path, ...issue }: z.core.$ZodIssue, digits: unknown): string | null {
  if (["pin", "url"].includes(String(path.at(-1)))) {
    return ["string", "undefined"].includes(typeof input) ? null : kindOf(input);
  }
  if (input === undefined || (code !== "invalid_type" && typeof input === "object" && input !== null)) return null;
  const wanted = code === "invalid_type" && "expected" in issue ? issue.expected : typeof input;
  const sent = path.reduce((value, name) => Object(value)[name], digits);
  const isOtherKind = typeof input !== (wanted === "int" ? "number" : wanted);
  return receivedText(input, isOtherKind, typeof input === "number" && typeof sent === "string" ? sent : undefined);
}

/**
 * The JSON of a body with each number as the text that was sent; empty if there is none, or if it has thousands of objects in one
 * another.
 */
export function digitsIn(json: string | null): Record<string, unknown> {
  type Reviver = (member: string, value: unknown, context?: { readonly source: string }) => unknown;
  const reviver: Reviver = (_member, value, context) => (typeof value === "number" ? context?.source : value);
  try {
    return JSON.parse(json ?? "{}", reviver) as Record<string, unknown>;
  } catch {
    return {}; // The text was parsed before, without a reviver, which takes more of the stack.
  }
}

/** Errors of zod in the words of our refusals, for schemas without their own text. */
function complaintOf(issue: z.core.$ZodRawIssue): string | undefined {
  const isMissing = issue.input === undefined;
  if (issue.code === "invalid_value") {
    return `${isMissing ? "is missing: it " : ""}must be one of ${issue.values.join(", ")}`;
  }
  if (isMissing) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_small":
      return `must ${sizeOf(issue.origin, issue.inclusive ? "at least" : "more than", Number(issue.minimum))}`;
    case "too_big":
      return `must ${sizeOf(issue.origin, "at most", Number(issue.maximum))}`;
    case "unrecognized_keys": {
      const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      const instead = known.length > 0 ? `the members are ${known.join(", ")}` : "leave it out";
      const keys = issue.keys.slice(0, MAX_REASONS).map((key) => shown(key) + suggestion(key, known));
      return `there is no member ${keys.join(", ")}; ${instead}`;
    }
    case "invalid_key":
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
}

function suggestion(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return meant === undefined ? "" : ` (did you mean ${meant}?)`;
}

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  object: "a JSON object",
  record: "a JSON object",
  array: "an array",
  boolean: "true or false",
};

function sizeOf(origin: string, bound: string, size: number): string {
  const noun = { string: "character", array: "element" }[origin];
  return noun === undefined ? `be ${bound} ${size}` : `have ${bound} ${counted(size, noun)}`;
}

function placeOf(root: string, path: readonly PropertyKey[]): string {
  let place = root;
  for (const part of path) {
    place += typeof part === "number" ? `[${part}]` : `${place === "" ? "" : "."}${String(part)}`;
  }
  return place;
}

/** A rule is the predicate of a sentence about its place; that of the whole input, and that of members without a schema, are sentences. */
function sentence(place: string, { code, message }: z.core.$ZodIssue): string {
  if (place === "") return message;
  return code === "unrecognized_keys" ? `${place}: ${message}` : `${place} ${message}`;
}

/** Checks a value with a function of the domain, which throws or returns the normal form. */
export const readBy = <T>(schema: z.ZodType<T, T>, read: (value: T) => T) =>
  schema.check((payload) => {
    try {
      payload.value = read(payload.value);
    } catch (error) {
      payload.issues.push({ code: "custom", message: brokenRule(error), input: payload.value });
    }
  });

/** The same for a value that stays as it was written. */
export const checkedBy = <T>(schema: z.ZodType<T, T>, read: (value: T) => unknown) =>
  readBy(schema, (value) => {
    read(value);
    return value;
  });
