import { z } from "zod";
import { invalid, Refusal } from "../../src/domain/error.ts";
import { kindOf, shown } from "../../src/domain/what-came.ts";
import { whatCameOf } from "../../src/http/input.ts";
import { readJsonObject } from "../../src/http/request.ts";

/** How calls read their input: what is wrong with it is said of the place where it stands. */

/** Reads with a function of the domain; its refusal becomes the issue at this place. */
export function readWith<T>(base: z.ZodType<string>, read: (text: string) => T) {
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

/**
 * Holds a nested input against its schema.
 * @param root what the input is called, such as `rules`; empty for the members of a body
 * @throws Refusal `invalid` that names the place of each error, as in `rules[2].match.phone`, and what came there
 */
export function parsePlaced<T extends z.ZodType>(schema: T, input: unknown, root: string): z.output<T> {
  const parsed = schema.safeParse(input, { error: complaintOf, reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const reasons = issues
    .slice(0, MAX_REASONS)
    .map((issue) => placeOf(root, issue.path) + issue.message + cameOf(issue));
  const more = issues.length - reasons.length;
  throw invalid(reasons.join("; ") + (more > 0 ? `; and ${more} more` : ""));
}

/** A thousand rules can have as many errors. */
const MAX_REASONS = 20;

/** What somebody typed for a PIN is not shown again, nor an address that may hold a password. */
function cameOf(issue: z.core.$ZodIssue): string {
  if (!["pin", "url"].includes(String(issue.path.at(-1)))) return whatCameOf(issue);
  return typeof issue.input === "string" ? "" : `; it is ${kindOf(issue.input)}`;
}

/** What the library finds wrong, in the words of the other refusals; a schema that has better ones says them itself. */
function complaintOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_small":
      return `must ${sizeOf(issue.origin, `${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`)}`;
    case "too_big":
      return `must ${sizeOf(issue.origin, `at most ${issue.maximum}`)}`;
    case "unrecognized_keys": {
      const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      const instead = known.length > 0 ? `the members are ${known.join(", ")}` : "leave it out";
      const keys = issue.keys.slice(0, MAX_REASONS).map(shown);
      return `there is no member ${keys.join(", ")}; ${instead}`;
    }
    default:
      return undefined;
  }
}

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  object: "a JSON object",
  array: "an array",
};

function sizeOf(origin: string, bound: string): string {
  if (origin === "string") return `have ${bound} characters`;
  return origin === "array" ? `have ${bound} elements` : `be ${bound}`;
}

function placeOf(root: string, path: readonly PropertyKey[]): string {
  let place = root;
  for (const part of path) {
    place += typeof part === "number" ? `[${part}]` : `${place === "" ? "" : "."}${String(part)}`;
  }
  return place === "" ? "" : `${place}: `;
}

/** A call's body, held against its schema. */
export async function readBody<T extends z.ZodType>(schema: T, request: Request): Promise<z.output<T>> {
  return parsePlaced(schema, await readJsonObject(request), "");
}
