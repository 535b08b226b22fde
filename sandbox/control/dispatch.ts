import type { Reply } from "../../src/http/reply.ts";
import type { KeepOpen } from "../../src/http/request.ts";
import { createCallTable } from "./call-table.ts";
import { CALLS } from "./calls.ts";
import type { ControlContext } from "./context.ts";
import type { SteeringPart } from "./shapes/requests.ts";

/** The part that a call of one of these paths changes, if it is not a GET. */
const STEERS: Record<string, SteeringPart> = {
  "/rules": "rules",
  "/default": "default",
  "/clock": "clock",
  "/faults": "faults",
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
