import { failWith, type Reply, respond, withIssues } from "../../src/http/reply.ts";
import { type Handler, type KeepOpen, targetOf } from "../../src/http/request.ts";
import { CONTROL_PATH, type ControlContext } from "./context.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { HEALTH_PATH, healthFor, READY_PATH, readyFor } from "./probes.ts";

/** The control API, for test suites and people. Like the merchant API it answers in JSON; its refusals also have their issues as data. */
export function createControl(
  context: ControlContext,
  guardOptions: GuardOptions,
  reportFault: (error: unknown) => void,
): Handler {
  const guard = createGuard(guardOptions);

  async function answer(request: Request, keepOpen: KeepOpen): Promise<Reply | Response> {
    const refusal = guard(request);
    const { path } = targetOf(request);
    const isProbe = /^(?:GET|HEAD)$/.test(request.method) && (refusal === null || refusal.status === 401);
    // Without the token, a probe gets only the status.
    if (isProbe && path === CONTROL_PATH + HEALTH_PATH) return healthFor(context, refusal === null);
    if (isProbe && path === CONTROL_PATH + READY_PATH) return readyFor(context);
    if (refusal) return withIssues(refusal);
    // With the first call: it takes 26 of 74 ms until momo serve is ready.
    const { dispatch } = await import("./calls.ts");
    const answered = await dispatch(request, context, keepOpen);
    return answered instanceof Response || answered.status === 200 ? answered : withIssues(answered);
  }

  return async (request, keepOpen = () => {}) => {
    try {
      return withSecurityHeaders(await answer(request, keepOpen));
    } catch (error) {
      return withSecurityHeaders(withIssues(failWith(error, reportFault)));
    }
  };
}

/** Browsers must not guess the type of an answer, show it in a frame, or give it to another site. */
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
