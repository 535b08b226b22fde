import { z } from "zod";
import { parseDuration } from "../domain/duration.ts";
import { invalidAt } from "../domain/error.ts";
import { isLine, MAX_LINE_LENGTH } from "../domain/line.ts";
import { parseTariff } from "../domain/money.ts";
import { checkedBy } from "./parse-input.ts";
import { BASE_PATH_RULE, isBasePath } from "./paths.ts";

const text = (most: number) => z.string().min(1).max(most);

/** With these, an answer has no body. */
export const isWithoutBody = (status: number): boolean => [204, 205, 304].includes(status);

const status = z
  .int()
  .min(200)
  .max(599)
  .refine((value) => !isWithoutBody(value), "must not be 204, 205 or 304: such an answer has no body");

/** The answer to a request that is refused. */
const refusal = z.strictObject({ status, message: text(500) });

const resultText = z
  .string()
  .refine((value) => isLine(value), `must be 1 to ${MAX_LINE_LENGTH} characters on one line`);

const areCodes = (results: object): boolean => {
  const codes = Object.keys(results);
  return codes.length <= 50 && codes.every((code) => /^[0-9]{1,6}$/.test(code));
};

/**
 * What a service does where the specification is silent. A member that is absent says nothing, and momo does as it does by itself.
 * The names are those of the file.
 */
export const profileSchema = z.strictObject({
  name: text(100).optional(),
  /** What is known, and how. */
  source: text(1000).optional(),
  /** Where the operations are, such as `/api/v2`. */
  base_path: z.string().refine(isBasePath, BASE_PATH_RULE).optional(),
  /** What a client may send: only what the specification says, or also what the real services accept. */
  accept: z.enum(["strict", "lenient"]).optional(),
  /** Answers have a full form and an earlier, shorter one (§4.1–4.3). */
  response_form: z.enum(["full", "short"]).optional(),
  /** The list's array (§4.3); by default that of the response form. */
  array_name: z.enum(["transactions", "data"]).optional(),
  /** To the status of an id that was never issued (§4.2). */
  unknown_id: refusal.optional(),
  /** To a payment for an account that is not the merchant's (§4.1). */
  invalid_account: refusal.optional(),
  /** To a list with a filter that has an unknown value (§4.3); "empty": it matches nothing. */
  bad_filter: z
    .union([z.enum(["ignored", "empty"]), refusal], 'must be "ignored", "empty", or a status and a message')
    .optional(),
  /** What a `page` or a `limit` out of its range is (§4.3). */
  page_bounds: z.enum(["refused", "clamped"]).optional(),
  /** In which letter case the filters `type` and `status` are accepted. */
  filter_case: z.enum(["any", "lower"]).optional(),
  /** How phones in answers begin. */
  phone: z.enum(["254", "0", "+254"]).optional(),
  /** The zone of timestamps (§2.2). */
  timestamps: z.enum(["nairobi", "utc"]).optional(),
  /** The tariff of the account, such as `1%`. */
  fee: checkedBy(text(100), (value) => parseTariff(value)).optional(),
  /** How long a prompt waits, such as `60s`. */
  prompt_timeout: checkedBy(text(100), (value) => {
    if (parseDuration(value) < 1000) throw invalidAt("prompt_timeout", "must be 1s or more");
  }).optional(),
  /** The text of each result code that has another one than the network's. */
  results: z
    .record(z.string(), resultText)
    .refine(areCodes, "must have result codes as members, 50 at most")
    .optional(),
});

export type Profile = Readonly<z.output<typeof profileSchema>>;
export type Accept = NonNullable<Profile["accept"]>;
export type ResponseForm = NonNullable<Profile["response_form"]>;
export type RefusalAnswer = z.output<typeof refusal>;
