import { z } from "zod";
import { amountRule, isAmount } from "../../../src/domain/money.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH, STATUSES } from "../../../src/domain/transaction.ts";
import { phone, timestamp } from "../../../src/http/answers.ts";
import { OPERATION_PATHS } from "../../../src/http/paths.ts";
import { FAULT_KINDS, type FaultKind } from "../../fault-kinds.ts";
import {
  choice,
  count,
  headerValue,
  instant,
  line,
  NOT_WHOLE,
  outcomeName,
  pattern,
  phonePattern,
  type ReadOnly,
  reportMisfit,
  times,
  writtenDuration,
} from "./values.ts";

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

/** A rule: as it is sent, as it is kept, and as it is shown. */
export const rule = z
  .strictObject({
    match: z
      .strictObject({
        phone: phonePattern.optional(),
        amount: z
          .number()
          .refine(isAmount, { error: ({ input }) => `it ${amountRule(input)}` })
          .optional(),
        payment_account_id: accountId.optional().describe("whose payments; left out: of every account"),
        reference: pattern(MAX_REFERENCE_LENGTH).optional(),
        description: pattern(MAX_DESCRIPTION_LENGTH).optional(),
      })
      .default({}),
    ...choice,
    times,
  })
  .check(({ value, issues }) => reportMisfit(value, issues));
export type RuleInput = z.input<typeof rule>;
export type Rule = ReadOnly<typeof rule>;
export const ruleList = { rules: z.array(rule) };

export const defaultRequest = z.strictObject(choice).check(({ value, issues }) => reportMisfit(value, issues));
export const defaultAnswer = { ...choice, after: z.string().nullable() };
export type DefaultInForce = ReadOnly<z.ZodObject<typeof defaultAnswer>>;

export const clockAnswer = { now: timestamp, now_ms: instant, frozen: z.boolean() };
export type ClockReading = ReadOnly<z.ZodObject<typeof clockAnswer>>;

/** In bytes. */
const MAX_FAULT_BODY = 4096;
const MAX_CUT = 1_000_000;
const MAX_HEADERS = 10;

/** The server sets these headers itself. */
const SERVERS_HEADERS =
  /^(?:connection|content-length|content-type|date|keep-alive|trailer|transfer-encoding|upgrade)$/i;

const headers = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: "is not the name of a header" })
      .refine((name) => !SERVERS_HEADERS.test(name), { error: "is set by the server: leave it out" }),
    headerValue,
  )
  .refine((sent) => Object.keys(sent).length <= MAX_HEADERS, {
    error: `must have at most ${MAX_HEADERS} headers`,
  })
  .refine((sent) => new Set(Object.keys(sent).map((name) => name.toLowerCase())).size === Object.keys(sent).length, {
    error: "must name each header once: letter case does not matter",
  });

/** zod leaves this name out of every record, without a word. */
const faultHeaders = z.preprocess((sent: z.input<typeof headers>, { addIssue }) => {
  if (Object.hasOwn(Object(sent), "__proto__"))
    addIssue({ code: "custom", message: "must not have the name __proto__" });
  return sent;
}, headers);

/** The members that only one kind of fault has. */
const ONLY_WITH: Readonly<Record<string, FaultKind>> = {
  ...{ status: "error", message: "error", body: "error", content_type: "error", headers: "error" },
  ...{ cut_after: "error", carried_out: "error", delay: "delay" },
};

/** An injected failure of the merchant API: as it is sent, as it is kept, and as it is shown. */
export const fault = z
  .strictObject({
    path: z.enum(OPERATION_PATHS).optional().describe("left out: any operation"),
    kind: z.enum(FAULT_KINDS),
    status: z
      .int()
      .refine((status) => status === 200 || (status >= 400 && status <= 599), {
        error: "must be 400 to 599, or 200 for an answer that is broken",
      })
      .optional()
      .describe("of an error; by default 500"),
    carried_out: z.boolean().optional().describe("whether an error comes after the operation was carried out"),
    message: line.optional().describe("of the JSON that an error answers with"),
    body: z
      .string()
      .refine((text) => new TextEncoder().encode(text).length <= MAX_FAULT_BODY, {
        error: `must have at most ${MAX_FAULT_BODY} bytes`,
      })
      .refine((text) => text.isWellFormed(), { error: NOT_WHOLE })
      .optional()
      .describe("instead of JSON, such as an HTML page; may be empty"),
    content_type: headerValue
      .refine((type) => type.trim() !== "", { error: "must have at least one character" })
      .optional()
      .describe("of body; by default text/plain; charset=utf-8"),
    headers: faultHeaders.optional().describe('more headers, such as {"Retry-After": "5"}'),
    cut_after: count.max(MAX_CUT).optional().describe("how many bytes of the answer are sent; the rest is lost"),
    delay: writtenDuration.optional(),
    probability: z.number().gt(0).max(1).default(1),
    times,
  })
  .check(({ value, issues }) => {
    const refuse = (member: string, message: string) =>
      void issues.push({ code: "custom", path: [member], message, input: value[member as keyof typeof value] });
    for (const [member, kind] of Object.entries(ONLY_WITH)) {
      const isGiven = value[member as keyof typeof value] !== undefined;
      if (isGiven && value.kind !== kind) refuse(member, `only a fault of the kind ${kind} has it`);
    }
    if (value.kind === "delay" && value.delay === undefined) refuse("delay", "a fault of the kind delay needs it");
    if (value.body !== undefined && value.message !== undefined) refuse("message", "give message or body, not both");
    if (value.body === undefined && value.content_type !== undefined)
      refuse("content_type", "it is the type of body: give both");
    if (value.status === 200 && value.body === undefined && !value.carried_out) {
      refuse("status", "must be 400 to 599, unless the operation is carried out or the fault has a body");
    }
  });
export type FaultInput = z.input<typeof fault>;
export type Fault = ReadOnly<typeof fault>;
export const faultList = { seed: count, faults: z.array(fault) };

const snapshot = z.strictObject({
  name: z.string(),
  transactions: count,
  rules: count,
  faults: count,
  at: timestamp,
  at_ms: instant,
  frozen: z.boolean(),
});
export type SnapshotOnWire = ReadOnly<typeof snapshot>;
export const snapshotList = { snapshots: z.array(snapshot) };
export const snapshotAnswer = { snapshot };
