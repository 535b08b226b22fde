import { fail, failWith } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import type { Service } from "../../src/service/service.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { health } from "./health.ts";
import { outcomes } from "./outcomes.ts";
import { CONTROL_PATH } from "./path.ts";
import { payments } from "./payments.ts";

export interface ControlContext {
  readonly service: Service;
  readonly version: string;
}

export type ControlCall = (request: Request, context: ControlContext) => Promise<Response>;

/** For each path below {@link CONTROL_PATH}, what each method does. */
const CALLS: Record<string, Partial<Record<string, ControlCall>>> = {
  "/health": { GET: health },
  "/outcomes": { GET: outcomes },
  "/payments": { POST: payments },
};

export interface ControlOptions extends ControlContext, GuardOptions {
  readonly reportFault: (error: unknown) => void;
}

/** The sandbox's own HTTP surface, for test-suites and people. Like the merchant API it answers everything in JSON. */
export function createControl(options: ControlOptions): Handler {
  const guard = createGuard(options);

  async function answer(request: Request): Promise<Response> {
    const refusal = guard(request);
    if (refusal) return refusal;
    const { path } = targetOf(request);
    const calls = CALLS[path.slice(CONTROL_PATH.length)];
    if (!calls) return fail(404, `there is nothing at this path; the control API has ${PATHS}`);
    const call = calls[request.method];
    if (!call) {
      const allowed = Object.keys(calls).join(", ");
      return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
    }
    return call(request, options);
  }

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      return failWith(error, options.reportFault);
    }
  };
}

const PATHS = Object.keys(CALLS)
  .map((path) => CONTROL_PATH + path)
  .join(", ");
