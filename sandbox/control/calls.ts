import { type Reply, serveDocument } from "../../src/http/reply.ts";
import { type KeepOpen, originOf } from "../../src/http/request.ts";
import { AUDIT_CALLS } from "./audit.ts";
import { createCallTable } from "./call-table.ts";
import { CLOCK_CALLS } from "./clock.ts";
import { type Calls, CONTROL_PATH, type ControlContext, described } from "./context.ts";
import { EVENT_CALLS } from "./events.ts";
import { FAULT_CALLS } from "./faults.ts";
import { METRICS_CALLS } from "./metrics.ts";
import { describeControl } from "./openapi.ts";
import { PAYMENT_CALLS } from "./payments.ts";
import { PHONE_CALLS } from "./phones.ts";
import { HEALTH_PATH, healthFor, READY_PATH, readyFor } from "./probes.ts";
import { REGISTRY_CALLS } from "./registry.ts";
import { REQUEST_CALLS } from "./requests.ts";
import { RULE_CALLS } from "./rules.ts";
import { SERVER_CALLS } from "./server.ts";
import type { SteeringPart } from "./shapes/requests.ts";
import * as shapes from "./shapes/server.ts";
import { STATE_CALLS } from "./snapshots.ts";
import { WAIT_CALLS } from "./wait.ts";
import { WEBHOOK_CALLS } from "./webhook.ts";

/** For the description, and the refusal of other methods: createControl answers probes itself, before it loads this table. */
const health = described(
  "Whether the server serves",
  shapes.healthAnswer,
  { failures: { 503: shapes.stoppingAnswer } },
  async (context: ControlContext) => healthFor(context, true),
);

const ready = described(
  "Whether the server accepts payments, for a load balancer",
  shapes.readyAnswer,
  { failures: { 503: shapes.notReadyAnswer } },
  readyFor,
);

export const CALLS: Calls = {
  [HEALTH_PATH]: { GET: health, HEAD: health },
  [READY_PATH]: { GET: ready, HEAD: ready },
  ...METRICS_CALLS,
  ...RULE_CALLS,
  ...PHONE_CALLS,
  ...CLOCK_CALLS,
  ...WAIT_CALLS,
  ...FAULT_CALLS,
  ...WEBHOOK_CALLS,
  ...REQUEST_CALLS,
  ...AUDIT_CALLS,
  ...EVENT_CALLS,
  ...PAYMENT_CALLS,
  ...REGISTRY_CALLS,
  ...SERVER_CALLS,
  ...STATE_CALLS,
  "/openapi.json": {
    GET: described("This description", null, {}, async ({ version }, { request }) => {
      ownDescription ??= describeControl(CALLS, version);
      return serveDocument({ ...ownDescription, servers: [{ url: originOf(request) + CONTROL_PATH }] });
    }),
  },
};

/** Made once, at the first request. */
let ownDescription: object | undefined;

/** The part that a call of one of these paths changes, if it is not a GET. */
const STEERS: Record<string, SteeringPart> = {
  "/rules": "rules",
  "/rules/ID": "rules",
  "/default": "default",
  "/clock": "clock",
  "/faults": "faults",
  "/faults/ID": "faults",
  "/webhook": "webhook",
  "/merchants": "registry",
  "/accounts": "registry",
  "/keys": "registry",
  "/keys/API_KEY": "registry",
  "/snapshots/NAME/restore": "restore",
  "/reset": "reset",
};

const TABLE = createCallTable(CALLS);

/** Carries out the call of a request. The guard has let the request pass. */
export async function dispatch(
  request: Request,
  context: ControlContext,
  keepOpen: KeepOpen,
): Promise<Reply | Response> {
  const found = TABLE.find(request);
  if (!("carryOut" in found)) return found;
  // A list waits until all due payments are resolved.
  if (request.method === "GET" && context.service.resolver.isBehind) keepOpen(request);
  // With a seed, each call finds the same state in each run: all that is due was resolved and delivered.
  if (context.server.seed != null) {
    await context.service.resolver.resolveDue();
    await context.webhooks.settle();
  }
  const what = STEERS[found.name];
  // Other servers may have changed it, or used up a part of it.
  if (what && request.method === "GET") await context.steering.refresh();
  const answer = await found.carryOut(context, keepOpen);
  if (what && request.method !== "GET") context.eventHub.steered([what]);
  return answer;
}
