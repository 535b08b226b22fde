import { serveDocument } from "../../src/http/reply.ts";
import { originOf } from "../../src/http/request.ts";
import { AUDIT_CALLS } from "./audit.ts";
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
