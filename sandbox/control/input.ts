import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { parseDuration } from "../../src/domain/duration.ts";
import { invalid, kindOf, Refusal, shown } from "../../src/domain/error.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { digitsIn, queryNumber, whatCameOf } from "../../src/http/input.ts";
import { expectJson, objectIn, readJson } from "../../src/http/request.ts";
import type { Body } from "./context.ts";
import { durationText } from "./shapes/values.ts";

/** Reads the input of calls. A refusal names the place of each error. */

/** Reads with a function of the domain. Its refusal becomes an error at this place. */
export function readWith<T>(base: z.ZodType<string, string>, read: (text: string) => T) {
  return base.transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });
}

export const duration = readWith(durationText, (text) => parseDuration(text, "it"));

export const MAX_QUERY_ID = 999_999_999_999_999;

const MAX_LIMIT = 1000;

const entry = (member: string) =>
  queryNumber(`${member} must be a whole number, the id of an entry`, { min: 0, max: MAX_QUERY_ID });

/** A page of a list: the entries after an id, the oldest first; or those before one, by default the newest of all. */
export const pageQuery = z
  .object({
    after: entry("after").optional(),
    before: entry("before").optional(),
    limit: queryNumber(`limit must be a whole number from 1 to ${MAX_LIMIT}`, { min: 1, max: MAX_LIMIT }).default(
      MAX_LIMIT,
    ),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    error: "give after or before, not both",
  });

export const phoneQuery = z.object({ phone: readWith(z.string(), (text) => parsePhone(text)).optional() });

/**
 * Checks a nested input with its schema.
 * @param root the name of the input, such as `rules`; empty for the members of a body
 * @param text of the input, if it was text
 * @throws Refusal `invalid` that names the place of each error, as in `rules[2].match.phone`, and the value there
 */
export function parsePlaced<T extends z.ZodType>(
  schema: T,
  input: unknown,
  root: string,
  text: string | null = null,
): z.output<T> {
  const parsed = schema.safeParse(input, { error: complaintOf, reportInput: true });
  if (parsed.success) return parsed.data;
  // Of two bounds of a number the second is its own; the first is that of every whole number.
  const keyOf = ({ code, path, message }: z.core.$ZodIssue) =>
    [code, ...path, code.startsWith("too_") ? "" : message].join();
  const issues = [...new Map(parsed.error.issues.map((issue) => [keyOf(issue), issue])).values()];
  const digits = digitsIn(text);
  const reasons = issues
    .slice(0, MAX_REASONS)
    .map((issue) => saidOf(placeOf(root, issue.path), issue.message) + cameOf(issue, digits));
  const more = issues.length - reasons.length;
  throw invalid(reasons.join("; ") + (more > 0 ? `; and ${more} more` : ""));
}

/** How many errors are listed: a thousand rules can have a thousand. */
const MAX_REASONS = 20;

/** A PIN is not shown, nor an address that may hold a password. */
function cameOf(issue: z.core.$ZodIssue, digits: unknown): string {
  if (!["pin", "url"].includes(String(issue.path.at(-1)))) return whatCameOf(issue, digits);
  return ["string", "undefined"].includes(typeof issue.input) ? "" : `; it is ${kindOf(issue.input)}`;
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
      const keys = issue.keys.slice(0, MAX_REASONS).map((key) => shown(key));
      return `there is no member ${keys.join(", ")}; ${instead}`;
    }
    case "invalid_key":
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
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

/** A sentence about the place if the rule is its predicate, with or without a subject; otherwise the rule after the place. */
function saidOf(place: string, rule: string): string {
  const predicate = rule.replace(/^it /, "");
  if (place === "") return rule;
  return /^(?:is|has|must)\b/.test(predicate) ? `${place} ${predicate}` : `${place}: ${rule}`;
}

export const bodyOf = <T extends z.ZodType>(schema: T, example: z.input<T>): Body<z.output<T>> => ({
  schema,
  example,
  async read(request) {
    const { value, text } = await readJson(request);
    return parsePlaced(schema, objectIn(value), "", text);
  },
});

const empty = bodyOf(z.strictObject({}), {});

/** A body is optional, also with a content type. The content type must be JSON, so that an HTML form cannot send it. */
export const noBody: Body = {
  ...empty,
  isOptional: true,
  async read(request) {
    if (request.headers.has("Content-Type")) expectJson(request);
    if (request.body !== null) await empty.read(request);
  },
};
