import { fail, failWith } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import type { Steering } from "./event-hub.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { CONTROL_PATH } from "./path.ts";
import { withSecurityHeaders } from "./security-headers.ts";

type Methods = Partial<Record<string, ControlCall>>;

/** What a call to one of these paths changes, unless it only looks. */
const STEERS: Record<string, Steering> = {
  "/rules": "rules",
  "/default": "default",
  "/clock": "clock",
  "/faults": "faults",
  "/merchants": "registry",
  "/accounts": "registry",
  "/keys": "registry",
  "/keys/API_KEY": "registry",
  "/reset": "reset",
};

/**
 * For each path below {@link CONTROL_PATH}, what each method does; capitals stand for an id, one part of the path. A file is
 * loaded with the first call that needs it: a server is ready sooner.
 */
const CALLS: Record<string, () => Promise<Methods>> = {
  "/health": () => import("./health.ts").then(({ health }) => ({ GET: health, HEAD: health })),
  "/outcomes": () => import("./outcomes.ts").then(({ outcomes }) => ({ GET: outcomes })),
  "/prompts": () => import("./prompts.ts").then((prompts) => ({ GET: prompts.listPrompts })),
  "/prompts/ID/answer": () => import("./prompts.ts").then((prompts) => ({ POST: prompts.answerPrompt })),
  "/messages": () => import("./messages.ts").then((messages) => ({ GET: messages.listMessages })),
  "/rules": () =>
    import("./rules.ts").then((rules) => ({
      GET: rules.listRules,
      POST: rules.appendRules,
      PUT: rules.replaceRules,
      DELETE: rules.removeRules,
    })),
  "/default": () =>
    import("./default.ts").then((setting) => ({ GET: setting.showDefault, PUT: setting.replaceDefault })),
  "/clock": () => import("./clock.ts").then((clock) => ({ GET: clock.showClock, POST: clock.setClock })),
  "/wait": () => import("./wait.ts").then(({ wait }) => ({ POST: wait })),
  "/faults": () =>
    import("./faults.ts").then((faults) => ({
      GET: faults.listFaults,
      PUT: faults.replaceFaults,
      DELETE: faults.removeFaults,
    })),
  "/requests": () => import("./requests.ts").then((requests) => ({ GET: requests.listRequests })),
  "/audit": () => import("./audit.ts").then((audit) => ({ GET: audit.showAudit, DELETE: audit.forgetAudit })),
  "/events": () => import("./events.ts").then(({ events }) => ({ GET: events })),
  "/transactions": () => import("./transactions.ts").then((transactions) => ({ GET: transactions.listTransactions })),
  "/transactions/CHECKOUT_REQUEST_ID": () =>
    import("./transactions.ts").then((transactions) => ({ GET: transactions.tellTransaction })),
  "/payments": () => import("./payments.ts").then(({ payments }) => ({ POST: payments })),
  "/merchants": () =>
    import("./registry.ts").then((registry) => ({ GET: registry.listMerchants, POST: registry.createMerchant })),
  "/accounts": () =>
    import("./registry.ts").then((registry) => ({ GET: registry.listAccounts, POST: registry.createAccount })),
  "/keys": () => import("./registry.ts").then((registry) => ({ GET: registry.listKeys, POST: registry.createKey })),
  "/keys/API_KEY": () => import("./registry.ts").then((registry) => ({ DELETE: registry.revokeKey })),
  "/server": () => import("./server.ts").then((server) => ({ GET: server.showServer })),
  "/reset": () => import("./reset.ts").then(({ reset }) => ({ POST: reset })),
};

export interface ControlOptions extends ControlContext, GuardOptions {
  readonly reportFault: (error: unknown) => void;
}

/** The sandbox's own HTTP surface, for test-suites and people. Like the merchant API it answers everything in JSON. */
export function createControl(options: ControlOptions): Handler {
  const guard = createGuard(options);

  async function answer(request: Request, keepOpen: (request: Request) => void): Promise<Response> {
    const refusal = guard(request);
    if (refusal) return refusal;
    const { path, query } = targetOf(request);
    const { name, id } = nameOf(path.slice(CONTROL_PATH.length));
    const methods = await CALLS[name]?.();
    if (!methods) return fail(404, `there is nothing at this path; the control API has ${PATHS}`);
    const call = methods[request.method];
    if (!call) {
      const allowed = Object.keys(methods).join(", ");
      return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
    }
    const response = await call(request, options, { query, id, keepOpen });
    const what = STEERS[name];
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
