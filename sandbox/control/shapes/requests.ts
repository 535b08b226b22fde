import { z } from "zod";
import { identifiers, timestamp } from "../../../src/http/answers.ts";
import { FINDING_KINDS, type FindingKind, SEVERITIES } from "../../audit/kinds.ts";
import { FAULT_KINDS } from "../../fault-kinds.ts";
import { count, instant, type ReadOnly, replica } from "./values.ts";

/** `/requests`, `/audit` and `/events`. */

/** A request to the merchant API, and its answer. */
export const loggedRequest = z.strictObject({
  id: z.int().min(1),
  at: timestamp,
  at_ms: instant,
  duration_ms: z.number().min(0),
  method: z.string(),
  target: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable().describe("its first 4,096 characters"),
  body_cut_bytes: count,
  status: z.int().nullable().describe("null if the connection was closed without an answer"),
  answer: z.unknown().describe("JSON; text if it is longer than 4,096 characters, and cut there"),
  answer_cut_bytes: count,
  fault: z.enum(FAULT_KINDS).nullable(),
  leniencies: z
    .array(z.strictObject({ member: z.string(), came: z.string() }))
    .describe("what only the lenient form accepted"),
  lenient_takes: z.boolean().describe("whether the strict form refused what the lenient form accepts"),
});
export type LoggedCall = ReadOnly<typeof loggedRequest>;

/** A page of the log, oldest first. */
export const requestPage = {
  replica,
  next: z.string().nullable().describe("the address of the next page; null if there is none"),
  requests: z.array(loggedRequest),
};

export const replayAnswer = { status: z.int().nullable().describe("null if the answer is lost") };

export type RequestPage = ReadOnly<z.ZodObject<typeof requestPage>>;

/** A mistake of a client, as the audit reports it. */
export const finding = z.strictObject({
  kind: z.enum(Object.keys(FINDING_KINDS) as [FindingKind, ...FindingKind[]]),
  severity: z.enum(SEVERITIES),
  message: z.string().describe("what happened"),
  advice: z.string().describe("what would be right"),
  section: z.string().describe("of the API's documentation"),
  request_ids: z.array(z.int().min(1)).describe("the ids of requests in the request log, the oldest first"),
  checkout_request_id: identifiers.checkout_request_id.nullable(),
  reference: z.string().nullable(),
  first_at: timestamp,
  count: z.int().min(1),
});
export type FindingOnWire = ReadOnly<typeof finding>;

/** What happened in a run, whether it was right or wrong. Every report begins with it. */
export const auditTally = z.object({
  requests: count,
  accepted: count,
  refused: z
    .array(z.strictObject({ status: z.int().nullable(), message: z.string(), count: z.int().min(1) }))
    .describe("the refusals by status and message, the most frequent first; a status is null if the answer was lost"),
  refused_left_out: count.describe("how many more were refused, with other messages"),
  payments: z.strictObject({
    started: count,
    paid: count,
    not_followed: count.describe("payments whose polls are missing, and whose webhook was not taken"),
  }),
  lenient_takes: count.describe("how many requests were refused for what --accept lenient takes"),
  deliveries: z
    .strictObject({ sent: count, not_taken: count.describe("those that nobody answered with 2xx") })
    .describe("the webhooks that were sent, each counted once, whatever its attempts"),
  chapters: count.describe("1, and one more for each reset or restore; findings and counts stay"),
});
export type TallyOnWire = ReadOnly<typeof auditTally>;

/** Not strict: a program that reads the answer gets its envelope, too. */
export const auditReport = z.object({
  replica,
  ...auditTally.shape,
  errors: count,
  warnings: count,
  notes: count,
  left_out: count,
  findings: z.array(finding),
});
export type AuditOnWire = ReadOnly<typeof auditReport>;

/** The part of the sandbox that was changed. */
export type SteeringPart = "rules" | "faults" | "clock" | "default" | "webhook" | "registry" | "restore" | "reset";
