import { fail, failWith, type Reply, respond } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import { CALLS } from "./calls.ts";
import { CONTROL_PATH, type ControlContext } from "./context.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { healthForAnybody } from "./health.ts";
import { readyForAnybody } from "./ready.ts";
import type { SteeringPart } from "./shapes/requests.ts";

/** What a probe without the token learns. */
const FOR_ANYBODY: Record<string, (context: ControlContext) => Reply | Promise<Reply>> = {
  "/health": healthForAnybody,
  "/ready": readyForAnybody,
};

/** What changes by a call to one of these paths, if it is not a GET. */
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

export interface ControlOptions extends ControlContext, GuardOptions {
  readonly reportFault: (error: unknown) => void;
}

/** The control API, for test suites and people. Like the merchant API it answers in JSON. */
export function createControl(options: ControlOptions): Handler {
  const guard = createGuard(options);

  async function answer(request: Request, keepOpen: (request: Request) => void): Promise<Reply | Response> {
    const refusal = guard(request);
    const { path, query } = targetOf(request);
    const { name, id } = nameOf(path.slice(CONTROL_PATH.length));
    const methods = CALLS[name];
    const needsTokenOnly = refusal?.status === 401;
    const forAnybody = FOR_ANYBODY[name];
    if (needsTokenOnly && forAnybody && methods?.[request.method]) return forAnybody(options);
    if (refusal) return refusal;
    if (!methods) return fail(404, `there is nothing at this path; the control API has ${PATHS}`);
    const described = methods[request.method];
    if (!described) {
      const allowed = Object.keys(methods).join(", ");
      return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
    }
    // A list waits until all that is due is resolved.
    if (request.method === "GET" && options.service.resolver.isBehind) keepOpen(request);
    const what = STEERS[name];
    // Others may have changed it, or used up a part of it.
    if (what && request.method === "GET") await options.steering.refresh();
    const response = await described.call(request, options, { query, id, keepOpen });
    if (what && request.method !== "GET") options.eventHub.steered(what);
    return response;
  }

  return async (request, keepOpen = () => {}) => {
    try {
      return withSecurityHeaders(await answer(request, keepOpen));
    } catch (error) {
      return withSecurityHeaders(failWith(error, options.reportFault));
    }
  };
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
    if (id !== undefined) return { name, id };
  }
  return { name: "", id: "" };
}

const PATHS = Object.keys(CALLS)
  .map((path) => CONTROL_PATH + path)
  .join(", ");

/** Browsers must not guess the type of an answer, show it in a frame, or hand it to another site. */
const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** Adds those that the answer does not set itself. */
function withSecurityHeaders(answer: Reply | Response): Response {
  const response = answer instanceof Response ? answer : respond(answer);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
