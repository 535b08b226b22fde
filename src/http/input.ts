import { z } from "zod";
import { FILTER_NAMES, type FilterName, filterOf, shownFilter, type TransactionFilter } from "../domain/filters.ts";
import { DEFAULT_PAGE, MAX_PAGE_LIMIT, type Page } from "../domain/list.ts";
import { AMOUNT_LIMIT, AMOUNT_RULE, amountRule, isAmount, MIN_AMOUNT, parseAmount } from "../domain/money.ts";
import { PHONE_PATTERN, PHONE_RULE, parsePhone } from "../domain/phone.ts";
import { formatDay } from "../domain/timestamp.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH } from "../domain/transaction.ts";
import type { Profile } from "./profile.ts";

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

/** A schema for each filter. */
const ofEachFilter = <Schema>(schemaOf: (name: FilterName) => z.ZodType) =>
  Object.fromEntries(FILTER_NAMES.map((name) => [name, schemaOf(name).optional()])) as Schema;

type FilterSchemas = {
  readonly [Name in FilterName]: z.ZodOptional<z.ZodType<NonNullable<TransactionFilter[Name]>, string>>;
};

/** A parameter is text, which the entry of its filter reads. */
function parameterOf(name: FilterName): z.ZodType {
  const { parse, rule, schema, words } = filterOf(name);
  return z
    .string()
    .transform((text, { addIssue }) => {
      const value = parse(text);
      if (value !== null) return value;
      addIssue({ code: "custom", message: rule, input: text, continue: false });
      return z.NEVER;
    })
    .meta({ described: { ...schema, description: words } });
}

const FILTERS = ofEachFilter<FilterSchemas>(parameterOf);

function refuseDaysOutOfOrder({ value, issues }: z.core.ParsePayload<TransactionFilter>): void {
  const { date_from, date_to } = value;
  if (date_from === undefined || date_to === undefined || date_from <= date_to) return;
  const rule = "must not be after date_to";
  const message = `${rule}; they are ${formatDay(date_from)} and ${formatDay(date_to)}`;
  issues.push({ code: "custom", path: ["date_from"], message, params: { rule }, input: value });
}

/** The filters of a list, without its pages. */
export const filtersSchema = z.object(FILTERS).check(refuseDaysOutOfOrder);

/** §4.3. */
export const listTransactionsSchema = z
  .object({
    page: fromOne(Number.MAX_SAFE_INTEGER).default(DEFAULT_PAGE.number),
    limit: fromOne(MAX_PAGE_LIMIT).default(DEFAULT_PAGE.limit),
    ...FILTERS,
  })
  .check(refuseDaysOutOfOrder);

export type ListInput = z.output<typeof listTransactionsSchema>;

/** The filters of a list as they were understood, in its answer. */
export const appliedFilters = z.strictObject(ofEachFilter<Record<FilterName, z.ZodType>>(appliedSchema));

/** The value of a filter as its entry shows it. */
function appliedSchema(name: FilterName): z.ZodType {
  const { parse, schema } = filterOf(name);
  const isShown = (value: unknown) => {
    const parsed = parse(String(value));
    return parsed !== null && shownFilter(name, parsed) === value;
  };
  return z.unknown().refine(isShown).meta({ described: schema });
}

/** @param profile its days are those of its timestamps */
export function selectionOf(
  { page, limit, ...filter }: ListInput,
  { timestamps }: Profile = {},
): { filter: TransactionFilter; page: Page } {
  const hasDays = filter.date_from !== undefined || filter.date_to !== undefined;
  const zone = timestamps === "utc" && hasDays ? { dayOffsetMs: 0 } : {};
  return { page: { number: page, limit }, filter: { ...filter, ...zone } };
}
