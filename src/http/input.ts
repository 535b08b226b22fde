import { z } from "zod";
import { invalid } from "../domain/error.ts";
import {
  DEFAULT_PAGE,
  MAX_PAGE_LIMIT,
  MAX_SEARCH_LENGTH,
  type Page,
  type TransactionFilter,
} from "../domain/filter.ts";
import { AMOUNT_LIMIT, AMOUNT_RULE, isAmount, MIN_AMOUNT, parseAmount } from "../domain/money.ts";
import { PHONE_PATTERN, PHONE_RULE, parsePhone } from "../domain/phone.ts";
import { parseDay } from "../domain/timestamp.ts";
import { KINDS, MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH, STATUSES } from "../domain/transaction.ts";
import { readQuery } from "./request.ts";

/** The shapes that the API takes. Each rule is the text of its refusal: the member, what is wrong, what would be right. */

const MAX_IDENTIFIER_LENGTH = 100;

/** The refusal of a member, whatever is wrong with it. */
function rule(member: string, text: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => `${member} ${input === undefined ? "is missing: it " : ""}${text}` };
}

function text(member: string, { min, max }: { min: number; max: number }) {
  const bad = rule(member, `must be a string of ${min > 0 ? `${min} to` : "at most"} ${max} characters`);
  const fits = (value: string) => {
    // Characters, not UTF-16 units: an emoji counts once.
    const length = value.length > max ? [...value].length : value.length;
    return length >= min && length <= max;
  };
  return (
    z
      .string(bad)
      .refine(fits, { ...bad, abort: true })
      // Half an emoji is no text at all.
      .refine((value) => value.isWellFormed(), {
        error: `${member} must be a string of whole characters: half of a surrogate pair is none`,
      })
      .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
  );
}

const amountRule = rule("amount", AMOUNT_RULE);
const accountRule = rule("payment_account_id", "must be a whole number, the id of a payment account of yours");

/** §4.1. Unknown members are ignored. */
export const startPaymentSchema = z.object({
  payment_account_id: z.int(accountRule),
  phone: z.string(rule("phone", PHONE_RULE)).regex(PHONE_PATTERN, rule("phone", PHONE_RULE)),
  amount: z
    .number(amountRule)
    .min(MIN_AMOUNT, amountRule)
    .lt(AMOUNT_LIMIT, amountRule)
    .refine(isAmount, amountRule)
    .meta({ multipleOf: 0.01 }),
  reference: text("reference", { min: 0, max: MAX_REFERENCE_LENGTH }).optional(),
  description: text("description", { min: 0, max: MAX_DESCRIPTION_LENGTH }).optional(),
});

/** The order that a request for a payment means. */
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
  checkout_request_id: text("checkout_request_id", { min: 1, max: MAX_IDENTIFIER_LENGTH }),
});

/** A whole number as a query writes it: no sign, point, exponent or leading zero. */
const wholeNumber = (member: string, max: number, fallback: number) => {
  const bad = rule(member, `must be a whole number from 1 to ${max}`);
  return z
    .string(bad)
    .regex(/^[1-9][0-9]{0,15}$/, bad)
    .transform(Number)
    .refine((value) => value <= max, bad)
    .default(fallback)
    .meta({ described: { type: "integer", minimum: 1, maximum: max, default: fallback } });
};

/** Any integer; that there is nothing with such a number is for the operation to say. */
const identifier = (member: string) => {
  const bad = rule(member, "must be a whole number");
  return z
    .string(bad)
    .regex(/^-?[0-9]{1,30}$/, bad)
    .transform(Number)
    .meta({ described: { type: "integer" } });
};

const oneOf = <const T extends readonly [string, ...string[]]>(member: string, values: T) =>
  z
    .string()
    .toLowerCase()
    .meta({ enum: [...values], description: "in any letter case" })
    .pipe(z.enum(values, rule(member, `must be one of ${values.join(", ")}`)));

const day = (member: string) => {
  const bad = rule(member, "must be a day of the calendar, written YYYY-MM-DD");
  return z
    .string(bad)
    .refine((value) => parseDay(value) !== null, bad)
    .meta({ format: "date" });
};

/** §4.3. */
export const listTransactionsSchema = z
  .object({
    page: wholeNumber("page", Number.MAX_SAFE_INTEGER, DEFAULT_PAGE.number),
    limit: wholeNumber("limit", MAX_PAGE_LIMIT, DEFAULT_PAGE.limit),
    type: oneOf("type", KINDS).optional(),
    status: oneOf("status", STATUSES).optional(),
    date_from: day("date_from").optional(),
    date_to: day("date_to").optional(),
    search: text("search", { min: 1, max: MAX_SEARCH_LENGTH }).optional(),
    id: identifier("id").optional(),
  })
  // Days in this form sort as text.
  .refine(({ date_from, date_to }) => !(date_from && date_to && date_from > date_to), {
    error: "date_from must not be after date_to",
  });

const LIST_PARAMETERS = Object.keys(listTransactionsSchema.shape);

/**
 * The page of a list that a query string asks for, and its filter.
 * @throws Refusal `invalid`
 */
export function readListQuery(query: string): { filter: TransactionFilter; page: Page } {
  const input = parseInput(listTransactionsSchema, readQuery(query, LIST_PARAMETERS));
  const fromDay = parseDay(input.date_from ?? "");
  const toDay = parseDay(input.date_to ?? "");
  return {
    page: { number: input.page, limit: input.limit },
    filter: {
      ...(input.type !== undefined && { kind: input.type }),
      ...(input.status !== undefined && { status: input.status }),
      ...(fromDay !== null && { fromDay }),
      ...(toDay !== null && { toDay }),
      ...(input.search !== undefined && { search: input.search }),
      ...(input.id !== undefined && { id: input.id }),
    },
  };
}

/**
 * Holds an input against its schema.
 * @throws Refusal `invalid` that names every member that does not fit
 */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const reasons = new Set(parsed.error.issues.map((issue) => issue.message));
  throw invalid([...reasons].join("; "));
}
