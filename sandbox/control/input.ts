import { z } from "zod";
import { parseDuration } from "../../src/domain/duration.ts";
import { brokenRule, shown } from "../../src/domain/error.ts";
import type { TransactionFilter } from "../../src/domain/filters.ts";
import { REFERENCE_SEPARATORS } from "../../src/domain/list.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { fromOne, queryNumber } from "../../src/http/input.ts";
import { parseInput } from "../../src/http/parse-input.ts";
import { expectJson, objectIn, readJson } from "../../src/http/request.ts";
import type { Place } from "../numbered-list.ts";
import type { Body } from "./context.ts";
import { durationText } from "./shapes/values.ts";

/** Reads with a function of the domain. Its refusal becomes an error at this place. */
export function readWith<T>(base: z.ZodType<string, string>, read: (text: string) => T) {
  return base.transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: brokenRule(error) });
      return z.NEVER;
    }
  });
}

export const duration = readWith(durationText, (text) => parseDuration(text));

export const MAX_QUERY_ID = 999_999_999_999_999;

const MAX_LIMIT = 1000;

const entry = queryNumber("must be a whole number, the id of an entry", { min: 0, max: MAX_QUERY_ID });

/** A parameter of a query that is true or false. */
export const yesOrNo = z.enum(["true", "false"], { error: "must be true or false" });

/** A search by a person, in the list and in its CSV. */
export const endsQuery = {
  ends: yesOrNo
    .optional()
    .describe(
      `whether a search also finds references that end with it, after one of ${REFERENCE_SEPARATORS.slice(0, -1).join(" ")} or a space`,
    ),
};

export const withEnds = (filter: TransactionFilter, ends: "true" | "false" | undefined): TransactionFilter =>
  ends === "true" ? { ...filter, findsEnds: true } : filter;

const notBoth =
  <One extends string, Other extends string>(one: One, other: Other) =>
  ({ value, issues }: z.core.ParsePayload<Partial<Record<One | Other, unknown>>>): void => {
    if (value[one] === undefined || value[other] === undefined) return;
    const rule = `give ${one} or ${other}, not both`;
    const message = `${rule}; they are ${shown(value[one])} and ${shown(value[other])}`;
    issues.push({ code: "custom", message, params: { rule }, input: value });
  };

/** A page of a list: the entries after an id, the oldest first; or those before one, by default the newest of all. */
export const pageQuery = z
  .object({
    after: entry.optional(),
    before: entry.optional(),
    limit: fromOne(MAX_LIMIT).default(MAX_LIMIT),
  })
  .check(notBoth("after", "before"));

export const phoneQuery = z.object({ phone: readWith(z.string(), (text) => parsePhone(text)).optional() });

export const bodyOf = <T extends z.ZodType>(schema: T, example: z.input<T>): Body<z.output<T>> => ({
  schema,
  example,
  async read(request) {
    const { value, text } = await readJson(request);
    return parseInput(schema, objectIn(value), text);
  },
});

/**
 * One item, an array of them, or an object that has the array: rules, and faults.
 * @param name of the member with the array
 * @throws Refusal `invalid` that names the place of each error
 */
export function parseItems<T extends z.ZodObject>(schema: T, name: string, input: unknown, text: string | null) {
  const items = schema.shape[name] as z.ZodArray<z.ZodType>;
  const names = Object.keys(Object(input));
  if (Array.isArray(input)) return { [name]: parseInput(items, input, text, name) } as z.output<T>;
  if (names.length === 0 || names.includes(name)) return parseInput(schema, input, text);
  return { [name]: [parseInput(items.element, input, text)] } as z.output<T>;
}

/** The same as a body. */
export function itemsBody<T extends z.ZodObject>(schema: T, name: string, example: unknown): Body<z.output<T>> {
  const items = schema.shape[name] as z.ZodArray<z.ZodType>;
  return {
    schema: z.union([schema, items, items.element]),
    example,
    async read(request) {
      const { value, text } = await readJson(request);
      return parseItems(schema, name, Array.isArray(value) ? value : objectIn(value), text);
    },
  };
}

/** Where rules or faults are added: the first that fits decides. */
export const placeQuery = z
  .object({
    first: yesOrNo.optional().describe("whether they come before all others; by default after them"),
    before: entry.optional().describe("the id of the one that they come before"),
  })
  .check(notBoth("first", "before"));

export const placeOf = ({ first, before }: z.output<typeof placeQuery>): Place | undefined =>
  first === "true" ? "first" : before;

/** The ids of what was added, for the answer. */
export const added = (ids: readonly number[]) => ({ ids, ...(ids.length === 1 && { id: ids[0] }) });

const empty = bodyOf(z.strictObject({}), {});

/** A body is optional, also with a content type. The content type must be JSON, so that an HTML form cannot send it. */
export const noBody: Body = {
  ...empty,
  isOptional: true,
  async read(request) {
    if (request.headers.has("Content-Type")) expectJson(request.headers);
    if (request.body !== null) await empty.read(request);
  },
};
