import { fail, failWith, type Reply } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import { forgetAudit, showAudit } from "./audit.ts";
import { setClock, showClock } from "./clock.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { replaceDefault, showDefault } from "./default.ts";
import type { Steering } from "./event-hub.ts";
import { events } from "./events.ts";
import { listFaults, removeFaults, replaceFaults } from "./faults.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { health } from "./health.ts";
import { listMessages } from "./messages.ts";
import { outcomes } from "./outcomes.ts";
import { CONTROL_PATH } from "./path.ts";
import { payments } from "./payments.ts";
import { answerPrompt, listPrompts } from "./prompts.ts";
import {
  createAccount,
  createKey,
  createMerchant,
  listAccounts,
  listKeys,
  listMerchants,
  revokeKey,
} from "./registry.ts";
import { replayRequest } from "./replay.ts";
import { listRequests } from "./requests.ts";
import { reset } from "./reset.ts";
import { appendRules, listRules, removeRules, replaceRules } from "./rules.ts";
import { withSecurityHeaders } from "./security-headers.ts";
import { showServer } from "./server.ts";
import { listSnapshots, removeSnapshot, restoreSnapshot, saveSnapshot } from "./snapshots.ts";
import { listTransactions, tellTransaction } from "./transactions.ts";
import { wait } from "./wait.ts";
import { removeWebhook, replaceWebhook, resendDelivery, showWebhook } from "./webhook.ts";

type Methods = Partial<Record<string, ControlCall>>;

/** What a call to one of these paths changes, unless it only looks. */
const STEERS: Record<string, Steering> = {
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

/** For each path below {@link CONTROL_PATH}, what each method does; capitals stand for an id, one part of the path. */
const CALLS: Record<string, Methods> = {
  "/health": { GET: health, HEAD: health },
  "/outcomes": { GET: outcomes },
  "/prompts": { GET: listPrompts },
  "/prompts/ID/answer": { POST: answerPrompt },
  "/messages": { GET: listMessages },
  "/rules": { GET: listRules, POST: appendRules, PUT: replaceRules, DELETE: removeRules },
  "/default": { GET: showDefault, PUT: replaceDefault },
  "/clock": { GET: showClock, POST: setClock },
  "/wait": { POST: wait },
  "/faults": { GET: listFaults, PUT: replaceFaults, DELETE: removeFaults },
  "/webhook": { GET: showWebhook, PUT: replaceWebhook, DELETE: removeWebhook },
  "/webhook/deliveries/ID/resend": { POST: resendDelivery },
  "/requests": { GET: listRequests },
  "/requests/ID/replay": { POST: replayRequest },
  "/audit": { GET: showAudit, DELETE: forgetAudit },
  "/events": { GET: events },
  "/transactions": { GET: listTransactions },
  "/transactions/CHECKOUT_REQUEST_ID": { GET: tellTransaction },
  "/payments": { POST: payments },
  "/merchants": { GET: listMerchants, POST: createMerchant },
  "/accounts": { GET: listAccounts, POST: createAccount },
  "/keys": { GET: listKeys, POST: createKey },
  "/keys/API_KEY": { DELETE: revokeKey },
  "/server": { GET: showServer },
  "/snapshots": { GET: listSnapshots },
  "/snapshots/NAME": { PUT: saveSnapshot, DELETE: removeSnapshot },
  "/snapshots/NAME/restore": { POST: restoreSnapshot },
  "/reset": { POST: reset },
};

export interface ControlOptions extends ControlContext, GuardOptions {
  readonly reportFault: (error: unknown) => void;
}

/** The sandbox's own HTTP surface, for test-suites and people. Like the merchant API it answers everything in JSON. */
export function createControl(options: ControlOptions): Handler {
  const guard = createGuard(options);

  async function answer(request: Request, keepOpen: (request: Request) => void): Promise<Reply | Response> {
    const refusal = guard(request);
    if (refusal) return refusal;
    const { path, query } = targetOf(request);
    const { name, id } = nameOf(path.slice(CONTROL_PATH.length));
    const methods = CALLS[name];
    if (!methods) return fail(404, `there is nothing at this path; the control API has ${PATHS}`);
    const call = methods[request.method];
    if (!call) {
      const allowed = Object.keys(methods).join(", ");
      return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
    }
    // What is listed waits until all that is due is resolved.
    if (request.method === "GET" && options.service.resolver.isBehind) keepOpen(request);
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
