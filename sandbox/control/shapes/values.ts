import { z } from "zod";
import { parseDuration } from "../../../src/domain/duration.ts";
import { invalidAt } from "../../../src/domain/error.ts";
import { MAX_LINE_LENGTH } from "../../../src/domain/line.ts";
import { parsePhone } from "../../../src/domain/phone.ts";
import { MAX_REFERENCE_LENGTH } from "../../../src/domain/transaction.ts";
import { checkedBy, readBy } from "../../../src/http/parse-input.ts";
import { CHOSEN_NAMES, type Choice, MAX_RESULT_CODE, problemOf } from "../../network/choice.ts";
import { OUTCOME_NAMES } from "../../network/outcomes.ts";

/** Values that several shapes of the control API share. */

export const durationText = z.string().describe("a duration, such as 250ms, 3s, 2m or 1h");

const nameOf = <const Names extends readonly [string, ...string[]]>(names: Names) => {
  const theNames = `the name of an outcome; the names are ${names.join(", ")}`;
  return z.enum(names, {
    error: ({ input }) => {
      if (input === undefined) return "is missing";
      return typeof input === "string" ? `is not ${theNames}` : `must be ${theNames}`;
    },
  });
};

/** An outcome of the table. */
export const outcomeName = nameOf(OUTCOME_NAMES);
/** An outcome that can be chosen: `failed` has a result code of its own. */
export const chosenName = nameOf(CHOSEN_NAMES);

/** A duration that stays as it was written. */
export const writtenDuration = checkedBy(durationText, (text) => parseDuration(text));

export const NOT_WHOLE = "must be whole characters: half of a surrogate pair is not a character";

export const line = z
  .string()
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, { error: "must be one line without control characters" })
  .refine((text) => text.isWellFormed(), { error: NOT_WHOLE })
  .refine((text) => text.trim() !== "", { error: "must have at least one character" })
  .refine((text) => [...text].length <= MAX_LINE_LENGTH, { error: `must have at most ${MAX_LINE_LENGTH} characters` })
  .meta({ maxLength: MAX_LINE_LENGTH });

export const headerValue = z.string().regex(/^[\x20-\x7e]{0,200}$/, {
  error: "must be at most 200 printable characters of ASCII",
});

/** The members of a choice. {@link reportMisfit} checks them together. */
export const choice = {
  outcome: chosenName,
  after: durationText.optional(),
  result_code: z.int().min(1).max(MAX_RESULT_CODE).optional().describe("of failed, cancelled or expired, such as 26"),
  result_desc: line.optional().describe("its text; left out: the network's own"),
  message: line.optional().describe("of refused: why the network does not take the prompt"),
} satisfies Record<keyof Choice, z.ZodType>;

/** Reports members of a choice that do not fit each other. */
export function reportMisfit(value: Choice, issues: z.core.$ZodRawIssue[]): void {
  const [member, message] = problemOf(value) ?? [];
  if (member !== undefined) issues.push({ code: "custom", path: [member], message, input: value[member] });
}

/** A text with as many characters as the merchant API takes: an emoji is one. */
const text = (most: number, lengthOf = (value: string) => [...value].length) =>
  z
    .string()
    .refine((value) => lengthOf(value) <= most, { error: `must have at most ${most} characters` })
    .meta({ maxLength: most });

export const reference = text(MAX_REFERENCE_LENGTH);

/** A text of a payment, or its start if it ends with `*`. */
export const pattern = (most: number) =>
  text(most, (value) => [...value.replace(/\*$/, "")].length)
    .regex(/^[^*]*\*?$/, { error: "must have * only at its end, where it stands for all that follows" })
    .meta({ maxLength: most + 1, description: "a text that ends with * is a start" });

/** A phone, or the start of phones if it ends with `*`. */
export const phonePattern = readBy(z.string().describe("2547* or 07*: all that start so"), (text) => {
  const start = /^(?:254|0)([0-9]{0,9})\*$/.exec(text)?.[1];
  if (start !== undefined) return `254${start}*`;
  if (text.includes("*"))
    throw invalidAt("phone", "must be the start of a phone and one * at its end, such as 2547* or 07*");
  return parsePhone(text);
});

export const instant = z.int().describe("milliseconds since 1970");
export const count = z.int().min(0);

export const times = z
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .describe("how often it applies before it is removed; left out: always");

/** The id of a rule or a fault. */
export const itemId = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
export const sentId = itemId
  .optional()
  .describe("as momo gave it: a list that is sent again keeps the ids; new ones have none");
export const addedIds = {
  ids: z.array(itemId).describe("of those that were added"),
  id: itemId.optional().describe("the same, if it was one"),
};

/** The next page of a list. */
export const following = {
  next: z.string().nullable().describe("the address of the next page; null if there is none"),
  more: z
    .union([z.strictObject({ before: itemId }), z.strictObject({ after: itemId })])
    .optional()
    .describe("the parameter for the next page"),
};

/** The name of the server, in answers that only one of several servers can give. */
export const replica = z.string().optional().describe("the server that answered, if several share a database");

export type ReadOnly<S extends z.ZodType> = ReadonlyDeep<z.output<S>>;

type ReadonlyDeep<T> = T extends readonly (infer E)[]
  ? readonly ReadonlyDeep<E>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;
