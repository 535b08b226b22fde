import { type Calls, type ControlContext, call } from "./context.ts";
import { HEALTH_PATH, healthFor, READY_PATH, readyFor } from "./probes.ts";
import * as shapes from "./shapes/server.ts";

/** For the description, and the refusal of other methods: createControl answers probes itself, before it loads the calls. */

const health = call(
  shapes.healthAnswer,
  { failures: { 503: shapes.stoppingAnswer } },
  async (context: ControlContext) => healthFor(context, true),
);

const ready = call(shapes.readyAnswer, { failures: { 503: shapes.notReadyAnswer } }, readyFor);

export const PROBE_CALLS: Calls = {
  [HEALTH_PATH]: { GET: health, HEAD: health },
  [READY_PATH]: { GET: ready, HEAD: ready },
};
