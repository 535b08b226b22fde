import { type Reply, serveDocument } from "../../src/http/reply.ts";
import { type KeepOpen, originOf } from "../../src/http/request.ts";
import { createCallTable, wholeCalls } from "./call-table.ts";
import { CONTROL_PATH, type ControlContext, call } from "./context.ts";
import { describeControl } from "./openapi.ts";
import type { WholeCalls } from "./rows/row.ts";
import { AREAS } from "./rows/rows.ts";

/** All calls but the description itself, each with its row. */
export const DESCRIBED_CALLS: WholeCalls = Object.assign({}, ...(await Promise.all(AREAS.map(wholeCalls))));

/** Made once, at the first request. */
let ownDescription: object | undefined;

const description = call(null, {}, async ({ version }: ControlContext, { request }) => {
  ownDescription ??= describeControl(DESCRIBED_CALLS, version);
  return serveDocument({ ...ownDescription, servers: [{ url: originOf(request) + CONTROL_PATH }] });
});

/** All calls. */
export const ALL_CALLS: WholeCalls = {
  ...DESCRIBED_CALLS,
  "/openapi.json": { GET: { summary: "This description", ...description } },
};

const TABLE = createCallTable(ALL_CALLS);

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
  if (context.server.seed !== null) {
    await context.service.resolver.resolveDue();
    await context.webhooks.settle();
  }
  const { part } = found.call;
  // Other servers may have changed it, or used up a part of it.
  if (part && request.method === "GET") await context.steering.refresh();
  const answer = await found.carryOut(context, keepOpen);
  if (part && request.method !== "GET") context.eventHub.steered([part]);
  return answer;
}
