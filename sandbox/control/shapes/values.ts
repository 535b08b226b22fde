import { z } from "zod";
import { MAX_REFERENCE_LENGTH } from "../../../src/domain/transaction.ts";
import { OUTCOME_NAMES } from "../../network/outcomes.ts";

/** Values that several shapes of the control API share. */

export const durationText = z.string().describe("a duration, such as 250ms, 3s, 2m or 1h");
const theNames = `the name of an outcome; the names are ${OUTCOME_NAMES.join(", ")}`;

export const outcomeName = z.enum(OUTCOME_NAMES, {
  error: ({ input }) => {
    if (input === undefined) return "is missing";
    return typeof input === "string" ? `it is not ${theNames}` : `must be ${theNames}`;
  },
});

export const instant = z.int().describe("milliseconds since 1970");
export const count = z.int().min(0);

export const times = z
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .describe("how often it applies before it is removed; left out: always");

/** A reference, with as many characters as the merchant API takes: an emoji is one. */
export const reference = z
  .string()
  .refine((text) => [...text].length <= MAX_REFERENCE_LENGTH, {
    error: `must have at most ${MAX_REFERENCE_LENGTH} characters`,
  })
  .meta({ maxLength: MAX_REFERENCE_LENGTH });

/** The name of the server, in answers that only one of several servers can give. */
export const replica = z.string().optional().describe("the server that answered, if several share a database");

/** The read-only type of a shape. */
export type ReadOnly<S extends z.ZodType> = ReadonlyDeep<z.output<S>>;

type ReadonlyDeep<T> = T extends readonly (infer E)[]
  ? readonly ReadonlyDeep<E>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;
