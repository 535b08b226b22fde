import { fail, failWith } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import { setClock, showClock } from "./clock.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { replaceDefault, showDefault } from "./default.ts";
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
import { listRequests } from "./requests.ts";
import { reset } from "./reset.ts";
import { appendRules, listRules, removeRules, replaceRules } from "./rules.ts";
import { showServer } from "./server.ts";
import { listTransactions, tellTransaction } from "./transactions.ts";
import { wait } from "./wait.ts";

type Methods = Partial<Record<string, ControlCall>>;

/** For each path below {@link CONTROL_PATH}, what each method does; capitals stand for an id, one part of the path. */
const CALLS: Record<string, Methods> = {
  "/health": { GET: health },
  "/outcomes": { GET: outcomes },
  "/prompts": { GET: listPrompts },
  "/prompts/ID/answer": { POST: answerPrompt },
  "/messages": { GET: listMessages },
  "/rules": { GET: listRules, POST: appendRules, PUT: replaceRules, DELETE: removeRules },
  "/default": { GET: showDefault, PUT: replaceDefault },
  "/clock": { GET: showClock, POST: setClock },
  "/wait": { POST: wait },
  "/faults": { GET: listFaults, PUT: replaceFaults, DELETE: removeFaults },
  "/requests": { GET: listRequests },
  "/events": { GET: events },
  "/transactions": { GET: listTransactions },
  "/transactions/CHECKOUT_REQUEST_ID": { GET: tellTransaction },
  "/payments": { POST: payments },
  "/merchants": { GET: listMerchants, POST: createMerchant },
  "/accounts": { GET: listAccounts, POST: createAccount },
  "/keys": { GET: listKeys, POST: createKey },
  "/keys/API_KEY": { DELETE: revokeKey },
  "/server": { GET: showServer },
  "/reset": { POST: reset },
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
    const { methods, id } = callsAt(path.slice(CONTROL_PATH.length));
    if (!methods) return fail(404, `there is nothing at this path; the control API has ${PATHS}`);
    const call = methods[request.method];
    if (!call) {
      const allowed = Object.keys(methods).join(", ");
      return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
    }
    return call(request, options, { query, id, keepOpen });
  }

  return async (request, keepOpen = () => {}) => {
    try {
      return await answer(request, keepOpen);
    } catch (error) {
      return failWith(error, options.reportFault);
    }
  };
}

/** The paths with an id in them, as patterns. */
const PATTERNS = Object.entries(CALLS)
  .filter(([path]) => /[A-Z]/.test(path))
  .map(([path, methods]) => ({ pattern: new RegExp(`^${path.replace(/[A-Z_]+/, "([^/]+)")}$`), methods }));

function callsAt(path: string): { methods: Methods | undefined; id: string } {
  if (Object.hasOwn(CALLS, path) && !/[A-Z]/.test(path)) return { methods: CALLS[path], id: "" };
  for (const { pattern, methods } of PATTERNS) {
    const id = pattern.exec(path)?.[1];
    if (id !== undefined) return { methods, id };
  }
  return { methods: undefined, id: "" };
}

const PATHS = Object.keys(CALLS)
  .map((path) => CONTROL_PATH + path)
  .join(", ");
