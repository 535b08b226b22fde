import { z } from "zod";
import {
  DEFAULT_PAGE,
  MAX_PAGE_LIMIT,
  MAX_SEARCH_LENGTH,
  type Page,
  type TransactionFilter,
} from "../domain/filter.ts";
import { AMOUNT_LIMIT, AMOUNT_RULE, amountRule, isAmount, MIN_AMOUNT, parseAmount } from "../domain/money.ts";
import { PHONE_PATTERN, PHONE_RULE, parsePhone } from "../domain/phone.ts";
import { parseDay } from "../domain/timestamp.ts";
import { KINDS, MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH, STATUSES } from "../domain/transaction.ts";

/** The schemas of requests. Each rule is the text of its refusal: the member, what is wrong, what would be right. */

const MAX_IDENTIFIER_LENGTH = 100;

/** The refusal of a member, for any mistake. {@link parseInput} adds its name and the received value. */
const rule = (text: string | ((input: unknown) => string)) => ({
  error: ({ input }: { input?: unknown }) =>
    (input === undefined ? "is missing: it " : "") + (typeof text === "string" ? text : text(input)),
});

function text({ min, max }: { min: number; max: number }) {
  const bad = rule(`must be a string of ${min > 0 ? `${min} to` : "at most"} ${max} characters`);
  const fits = (value: string) => {
    // Count characters instead of UTF-16 units: an emoji is one.
    const length = value.length > max ? [...value].length : value.length;
    return length >= min && length <= max;
  };
  return (
    z
      .string(bad)
      .refine(fits, { ...bad, abort: true })
      // Half of an emoji is not text.
      .refine((value) => value.isWellFormed(), {
        error: "must be a string of whole characters: half of a surrogate pair is not a character",
      })
      .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
  );
}

const badAmount = rule(amountRule);
const accountRule = rule("must be a whole number, the id of a payment account of yours");

/** §4.1. Unknown members are ignored. */
export const startPaymentSchema = z.object({
  payment_account_id: z.int(accountRule).meta({ minimum: 1 }),
  phone: z.string(rule(PHONE_RULE)).regex(PHONE_PATTERN, rule(PHONE_RULE)),
  amount: z
    .number(badAmount)
    .refine(isAmount, { ...badAmount, params: { rule: AMOUNT_RULE } })
    // Not `multipleOf: 0.01`: validators compute with binary fractions, and would refuse 19.99.
    .meta({ minimum: MIN_AMOUNT, exclusiveMaximum: AMOUNT_LIMIT, description: "in KES, with at most two decimals" }),
  reference: text({ min: 0, max: MAX_REFERENCE_LENGTH }).optional(),
  description: text({ min: 0, max: MAX_DESCRIPTION_LENGTH }).optional(),
});

export function orderOf(input: z.output<typeof startPaymentSchema>) {
  return {
    paymentAccountId: input.payment_account_id,
    phone: parsePhone(input.phone),
    amountCents: parseAmount(input.amount),
    reference: input.reference ?? null,
    description: input.description ?? null,
  };
}

/** §4.2. */
export const checkStatusSchema = z.object({
  checkout_request_id: text({ min: 1, max: MAX_IDENTIFIER_LENGTH }),
});

/** A whole number in a query, without sign, point, exponent or leading zero. */
export const queryNumber = (error: string, { min, max }: { min: number; max: number }) =>
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,15})$/, { error })
    .refine((text) => Number(text) >= min && Number(text) <= max, { error })
    .transform(Number)
    .meta({ described: { type: "integer", minimum: min, maximum: max } });

export const fromOne = (max: number) => queryNumber(`must be a whole number from 1 to ${max}`, { min: 1, max });

/** Any integer. The operation refuses an id that does not exist. */
const identifier = z
  .string()
  .regex(/^-?[0-9]{1,30}$/, { error: "must be a whole number" })
  .transform(Number)
  .meta({ described: { type: "integer" } });

/** One of these words, in any letter case. */
const oneOf = <T extends string>(values: readonly T[]) => {
  const find = (text: string) => {
    const lower = text.toLowerCase();
    return values.find((value) => value === lower);
  };
  return (
    z
      .string()
      .refine((text) => find(text) !== undefined, { error: `must be one of ${values.join(", ")}` })
      // Generated clients get a type from an `enum`. That other letter cases are taken as well stands in the description.
      .meta({ description: "in any letter case", enum: [...values] })
      .transform((text) => find(text) as T)
  );
};

const day = z
  .string()
  .refine((value) => parseDay(value) !== null, { error: "must be a day of the calendar, written YYYY-MM-DD" })
  .meta({ format: "date" });

/** §4.3. */
export const listTransactionsSchema = z
  .object({
    page: fromOne(Number.MAX_SAFE_INTEGER).default(DEFAULT_PAGE.number),
    limit: fromOne(MAX_PAGE_LIMIT).default(DEFAULT_PAGE.limit),
    type: oneOf(KINDS).optional(),
    status: oneOf(STATUSES).optional(),
    date_from: day.optional(),
    date_to: day.optional(),
    search: text({ min: 1, max: MAX_SEARCH_LENGTH }).optional(),
    id: identifier.optional(),
  })
  // Days in this form can be compared as text.
  .refine(({ date_from, date_to }) => !(date_from && date_to && date_from > date_to), {
    error: ({ input }) => {
      const { date_from, date_to } = input as { date_from: string; date_to: string };
      return `date_from must not be after date_to; they are ${date_from} and ${date_to}`;
    },
  });

export type ListInput = z.output<typeof listTransactionsSchema>;
export type FilterName = Exclude<keyof ListInput, "page" | "limit">;

/** The filters of a list as they were understood, in its answer. */
export const appliedFilters = z.strictObject({
  type: z.enum(KINDS).optional(),
  status: z.enum(STATUSES).optional(),
  date_from: z.iso.date().optional(),
  date_to: z.iso.date().optional(),
  search: z.string().optional(),
  id: z.int().min(1).optional(),
} satisfies Record<FilterName, z.ZodType>);

export function selectionOf(input: ListInput): { filter: TransactionFilter; page: Page } {
  const { page, limit, type, status, date_from = "", date_to = "", search, id } = input;
  const [fromDay, toDay] = [date_from, date_to].map((day) => parseDay(day) ?? undefined);
  return { page: { number: page, limit }, filter: { kind: type, status, fromDay, toDay, search, id } };
}
