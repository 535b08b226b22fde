import { z } from "zod";
import { STATUSES } from "../../../src/domain/transaction.ts";
import { amount, phone, timestamp } from "../../../src/http/answers.ts";
import { FAULT_KINDS } from "../../faults.ts";
import { count, durationText, instant, outcomeName, type ReadOnly, reference, times } from "./values.ts";

/** `/outcomes`, `/rules`, `/default`, `/clock`, `/faults` and `/snapshots`. */

const accountId = z.int().min(1);

const outcome = z.strictObject({
  name: outcomeName,
  phone,
  meaning: z.string(),
  status: z.enum(STATUSES).nullable(),
  code: z.int().nullable(),
  after: z.string().nullable().describe("the default time until the outcome"),
});
export type OutcomeOnWire = ReadOnly<typeof outcome>;
export const outcomeList = { outcomes: z.array(outcome) };

const rule = z.strictObject({
  match: z.strictObject({
    phone: phone.optional(),
    amount: amount.optional(),
    payment_account_id: accountId.optional(),
    reference: reference.optional(),
  }),
  outcome: outcomeName,
  after: durationText.optional(),
  times: times.describe("how many times are left"),
});
export type RuleInForce = ReadOnly<typeof rule>;
export const ruleList = { rules: z.array(rule) };

export const defaultAnswer = { outcome: outcomeName, after: z.string().nullable() };
export type DefaultInForce = ReadOnly<z.ZodObject<typeof defaultAnswer>>;

export const clockAnswer = { now: timestamp, now_ms: instant, frozen: z.boolean() };
export type ClockReading = ReadOnly<z.ZodObject<typeof clockAnswer>>;

const fault = z.strictObject({
  path: z.string().optional(),
  kind: z.enum(FAULT_KINDS),
  status: z.int().optional(),
  delay: durationText.optional(),
  probability: z.number(),
  times: times.describe("how many times are left"),
});
export type FaultInForce = ReadOnly<typeof fault>;
export const faultList = { seed: count, faults: z.array(fault) };

const snapshot = z.strictObject({
  name: z.string(),
  transactions: count,
  at: timestamp,
  at_ms: instant,
  frozen: z.boolean(),
});
export type SnapshotOnWire = ReadOnly<typeof snapshot>;
export const snapshotList = { snapshots: z.array(snapshot) };
export const snapshotAnswer = { snapshot };
