import { type Reply, serveDocument } from "../../src/http/reply.ts";
import { type KeepOpen, originOf } from "../../src/http/request.ts";
import { createCallTable, loadCalls } from "./call-table.ts";
import { CONTROL_PATH, type ControlContext, call } from "./context.ts";
import { describeControl } from "./openapi.ts";
import type { Rows } from "./rows/row.ts";
import { ROWS } from "./rows/rows.ts";

/** Made once, at the first request. */
let ownDescription: object | undefined;

const describing = call(null, {}, async ({ version }: ControlContext, { request }) => {
  ownDescription ??= describeControl(await loadCalls(ROWS), version);
  return serveDocument({ ...ownDescription, servers: [{ url: originOf(request) + CONTROL_PATH }] });
});

/** Those that are described, and the description. */
export const ALL_ROWS: Rows = {
  ...ROWS,
  "/openapi.json": {
    GET: { summary: "This description", load: async () => ({ "/openapi.json": { GET: describing } }) },
  },
};

const TABLE = createCallTable(ALL_ROWS);

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
  const { part } = found.row;
  // Other servers may have changed it, or used up a part of it.
  if (part && request.method === "GET") await context.steering.refresh();
  const answer = await found.carryOut(context, keepOpen);
  if (part && request.method !== "GET") context.eventHub.steered([part]);
  return answer;
}
