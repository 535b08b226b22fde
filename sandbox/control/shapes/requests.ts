import { z } from "zod";
import { timestamp } from "../../../src/http/answers.ts";
import { FAULT_NAMES } from "../../faults/kinds.ts";
import { count, following, instant, type ReadOnly, replica } from "./values.ts";

/** `/requests` and `/events`. */

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
  checkout_request_id: z
    .string()
    .nullable()
    .describe("of the payment that it started or asked about, also if the answer was lost"),
  status: z.int().nullable().describe("null if a fault closed the connection without an answer"),
  delivered: z.boolean().describe("false if the connection ended before the answer"),
  answer: z.unknown().describe("JSON; text if it is longer than 4,096 characters, and cut there"),
  answer_cut_bytes: count,
  fault: z.enum(FAULT_NAMES).nullable(),
  leniencies: z
    .array(z.strictObject({ member: z.string(), came: z.string() }))
    .describe("what only the lenient form accepted"),
  lenient_takes: z.boolean().describe("whether the strict form refused what the lenient form accepts"),
});
export type LoggedCall = ReadOnly<typeof loggedRequest>;

/** A page of the log, oldest first. */
export const requestPage = {
  replica,
  ...following,
  requests: z.array(loggedRequest),
};

export type RequestPage = ReadOnly<z.ZodObject<typeof requestPage>>;

/** The part of the sandbox that was changed. */
export type SteeringPart =
  | "rules"
  | "faults"
  | "clock"
  | "default"
  | "webhook"
  | "registry"
  | "snapshots"
  | "restore"
  | "reset";
