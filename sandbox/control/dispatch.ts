import { fail, type Reply } from "../../src/http/reply.ts";
import { type KeepOpen, targetOf } from "../../src/http/request.ts";
import { CALLS } from "./calls.ts";
import { CONTROL_PATH, type ControlContext } from "./context.ts";
import { parseQuery } from "./input.ts";
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

/** Finds the call of a request in the table, and carries it out. The guard has let the request pass. */
export async function dispatch(
  request: Request,
  context: ControlContext,
  keepOpen: KeepOpen,
): Promise<Reply | Response> {
  const { path, query } = targetOf(request);
  const { name, id } = nameOf(path.slice(CONTROL_PATH.length));
  const methods = CALLS[name];
  if (!methods) return fail(404, `there is nothing at this path; the control API has ${PATHS}`);
  const described = methods[request.method];
  if (!described) {
    const allowed = Object.keys(methods).join(", ");
    return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
  }
  // A list waits until all due payments are resolved.
  if (request.method === "GET" && context.service.resolver.isBehind) keepOpen(request);
  // With a seed, each call finds the same state in each run: all that is due was resolved and delivered.
  if (context.server.seed != null) {
    await context.service.resolver.resolveDue();
    await context.webhooks.settle();
  }
  const what = STEERS[name];
  // Other servers may have changed it, or used up a part of it.
  if (what && request.method === "GET") await context.steering.refresh();
  const response = await described.call(context, {
    request,
    query: described.query ? parseQuery(described.query, query) : {},
    body: await described.body?.read(request),
    id,
    keepOpen,
  });
  if (what && request.method !== "GET") context.eventHub.steered([what]);
  return response;
}

/** The paths with an id in them, as patterns. */
const PATTERNS = Object.keys(CALLS)
  .filter((name) => /[A-Z]/.test(name))
  .map((name) => ({ name, pattern: new RegExp(`^${name.replace(/[A-Z_]+/, "([^/]+)")}$`) }));

/** The name of a path in the table, and the id in it; an empty name for a path that is not there. */
function nameOf(path: string): { name: string; id: string } {
  if (Object.hasOwn(CALLS, path) && !/[A-Z]/.test(path)) return { name: path, id: "" };
  for (const { name, pattern } of PATTERNS) {
    const id = pattern.exec(path)?.[1];
    if (id !== undefined) return { name, id: decoded(id) };
  }
  return { name: "", id: "" };
}

/** The text as its sender meant it: `a%20b` is `a b`. An invalid encoding stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const PATHS = Object.keys(CALLS)
  .map((path) => CONTROL_PATH + path)
  .join(", ");
