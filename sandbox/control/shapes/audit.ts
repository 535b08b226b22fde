import { z } from "zod";
import { identifiers, timestamp } from "../../../src/http/answers.ts";
import { KIND_NAMES } from "../../audit/rules.ts";
import { SEVERITIES } from "../../audit/severity.ts";
import type { Finding, Tally } from "../../audit/shape.ts";
import { count, type ReadOnly, replica } from "./values.ts";

/** `/audit`, and its events. */

const example = {
  message: z.string().describe("what happened"),
  request_ids: z.array(z.int().min(1)).describe("the ids of requests in the request log, the oldest first"),
  checkout_request_ids: z
    .array(identifiers.checkout_request_id)
    .describe("of the payments that it is about: a second charge is about two"),
  checkout_request_id: identifiers.checkout_request_id.nullable(),
  reference: z.string().nullable(),
};

/** A mistake of a client, as the audit reports it. Equal mistakes are one finding with a count. */
export const finding = z.strictObject({
  kind: z.enum(KIND_NAMES),
  severity: z.enum(SEVERITIES),
  advice: z.string().describe("what would be right"),
  section: z.string().describe("of the API's documentation"),
  ...example,
  first_at: timestamp,
  count: z.int().min(1),
  examples: z
    .array(z.strictObject(example))
    .min(1)
    .max(3)
    .describe("the first mistakes; the members above are of the first"),
}) satisfies z.ZodType<Finding>;
export type FindingOnWire = ReadOnly<typeof finding>;

/** What happened in a run, whether it was right or wrong. Every report begins with it. */
export const auditTally = z.object({
  requests: count,
  accepted: count,
  refused: z
    .array(z.strictObject({ status: z.int().nullable(), message: z.string(), count: z.int().min(1) }))
    .describe(
      "the refusals by status and by what is wrong, the most frequent first, each with the message of its first; a status is null if the answer was lost",
    ),
  refused_left_out: count.describe("how many more were refused, for other reasons"),
  refused_before_operations: count.describe("how many of them for their path, method, credentials or origin"),
  answers_not_delivered: count.describe("how many connections ended before the answer"),
  payments: z.strictObject({
    started: count,
    paid: count,
    not_learned: count.describe("payments that have ended, and whose client has not learned how"),
    one_by_one: count.describe("how many are compared with each other; older ones are judged by how they ended"),
  }),
  lenient_takes: count.describe("how many requests were refused for what --accept lenient takes"),
  deliveries: z
    .strictObject({ sent: count, not_taken: count.describe("those that nobody answered with 2xx") })
    .describe("the webhooks that were sent, each counted once, whatever its attempts"),
  chapters: count.describe("1, and one more for each reset or restore; findings and counts stay"),
}) satisfies z.ZodType<Tally>;

/** Not strict: a program that reads the answer gets its envelope, too. */
export const auditReport = z.object({
  replica,
  ...auditTally.shape,
  errors: count,
  warnings: count,
  notes: count,
  accepted_findings: count.describe("how many mistakes --audit-accept accepts"),
  left_out: count,
  findings: z.array(finding),
});
export type AuditOnWire = ReadOnly<typeof auditReport>;
