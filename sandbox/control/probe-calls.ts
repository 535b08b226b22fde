import { z } from "zod";
import { type Calls, type ControlContext, call } from "./context.ts";
import { HEALTH_PATH, healthFor, READY_PATH, readyFor } from "./probes.ts";

/** For the description, and the refusal of other methods: createControl answers probes itself, before it loads the calls. */

/** Hidden from a caller without the token, if the server requires one. */
const facts = {
  id: z.string().optional().describe("of this start of the server"),
  version: z.string().optional(),
  pid: z.int().min(1).optional(),
};
const healthAnswer = { status: z.literal("ok"), ...facts };
const stoppingAnswer = z.strictObject({
  success: z.literal(false),
  message: z.string(),
  status: z.literal("draining"),
  ...facts,
});

const readyAnswer = { status: z.literal("ready") };
const notReadyAnswer = z.strictObject({
  success: z.literal(false),
  message: z.string().describe("why it accepts no payments"),
  status: z.enum(["not_ready", "draining"]),
});

const health = call(healthAnswer, { failures: { 503: stoppingAnswer } }, async (context: ControlContext) =>
  healthFor(context, true),
);

const ready = call(readyAnswer, { failures: { 503: notReadyAnswer } }, readyFor);

export const PROBE_CALLS: Calls = {
  [HEALTH_PATH]: { GET: health, HEAD: health },
  [READY_PATH]: { GET: ready, HEAD: ready },
};
