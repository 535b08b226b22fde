import { z } from "zod";
import { AMOUNT_RULE, amountRule, isAmount } from "../../../src/domain/money.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH, STATUSES } from "../../../src/domain/transaction.ts";
import { phone, timestamp } from "../../../src/http/answers.ts";
import {
  choice,
  count,
  instant,
  itemId,
  outcomeName,
  pattern,
  phonePattern,
  type ReadOnly,
  reportMisfit,
  sentId,
  times,
} from "./values.ts";

/** Outcomes, rules, the default, the clock and snapshots. */

const accountId = z.int().min(1);

export const outcome = z.strictObject({
  name: outcomeName,
  phone,
  meaning: z.string(),
  status: z.enum(STATUSES).nullable(),
  code: z.int().nullable(),
  after: z.string().nullable().describe("the default time until the outcome"),
});
export type OutcomeOnWire = ReadOnly<typeof outcome>;

const ruleMembers = {
  match: z
    .strictObject({
      phone: phonePattern.optional(),
      amount: z
        .number()
        .refine(isAmount, { error: ({ input }) => amountRule(input), params: { rule: AMOUNT_RULE } })
        .optional(),
      payment_account_id: accountId.optional().describe("whose payments; left out: of every account"),
      reference: pattern(MAX_REFERENCE_LENGTH).optional(),
      description: pattern(MAX_DESCRIPTION_LENGTH).optional(),
    })
    .default({}),
  ...choice,
  times,
};

/** A rule as it is sent. */
export const rule = z
  .strictObject({ id: sentId, ...ruleMembers })
  .check(({ value, issues }) => reportMisfit(value, issues));
export type RuleInput = z.input<typeof rule>;
export type Rule = ReadOnly<typeof rule>;
export const ruleInForce = z.strictObject({ id: itemId, ...ruleMembers });
export type RuleInForce = ReadOnly<typeof ruleInForce>;

export const defaultRequest = z.strictObject(choice).check(({ value, issues }) => reportMisfit(value, issues));
const { message: _, ...withoutMessage } = choice;
export const defaultAnswer = {
  ...withoutMessage,
  after: z.string().nullable(),
  chosen: z.strictObject(choice).describe("what sets it again"),
};
export type DefaultInForce = ReadOnly<z.ZodObject<typeof defaultAnswer>>;

export const clockAnswer = { now: timestamp, now_ms: instant, frozen: z.boolean() };
export type ClockReading = ReadOnly<z.ZodObject<typeof clockAnswer>>;

export const snapshot = z.strictObject({
  name: z.string(),
  transactions: count,
  rules: count,
  faults: count,
  at: timestamp,
  at_ms: instant,
  frozen: z.boolean(),
});
export type SnapshotOnWire = ReadOnly<typeof snapshot>;
