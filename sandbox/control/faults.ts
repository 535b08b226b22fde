import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { formatDuration } from "../../src/domain/duration.ts";
import { drawSeed } from "../../src/domain/random.ts";
import { OPERATION_PATHS } from "../../src/http/operation.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { FAULT_KINDS, type Fault, type FaultPlan, MAX_FAULTS } from "../faults.ts";
import { type Calls, described } from "./context.ts";
import { bodyOf, duration } from "./input.ts";
import { type FaultInForce, faultList } from "./shapes/steering.ts";
import { times } from "./shapes/values.ts";

/** An injected failure of requests to the merchant API. */
export const faultInput = z
  .strictObject({
    path: z
      .enum(OPERATION_PATHS, { error: `must be one of ${OPERATION_PATHS.join(", ")}` })
      .optional()
      .describe("left out: any operation"),
    kind: z.enum(FAULT_KINDS, { error: `must be one of ${FAULT_KINDS.join(", ")}` }),
    status: z.int().min(400).max(599).optional().describe("of an error; by default 500"),
    delay: duration.optional(),
    probability: z.number().gt(0).max(1).default(1),
    times,
  })
  .refine(({ kind, status }) => kind === "error" || status === undefined, {
    path: ["status"],
    error: "only a fault of the kind error has it",
  })
  .refine(({ kind, delay }) => (kind === "delay") === (delay !== undefined), {
    path: ["delay"],
    error: "a fault of the kind delay needs it, and no other has it",
  });
export type FaultInput = z.input<typeof faultInput>;

export const faultsRequest = z.strictObject({
  seed: z.int().min(0).max(0xffffffff).optional().describe("the same seed gives the same faults"),
  faults: z.array(faultInput).max(MAX_FAULTS),
});

const body = bodyOf(faultsRequest, { faults: [{ kind: "error", status: 503, probability: 0.1 }] });

/** The faults in force, with the times that are left, and their seed. */
export const FAULT_CALLS: Calls = {
  "/faults": {
    GET: described("The faults in force, and their seed", faultList, {}, async ({ faults }) => inForce(faults)),
    /** Without a seed, a random one is used and shown. */
    PUT: described("Replace all faults", faultList, { body }, async ({ steering, faults, random }, { body }) => {
      const seed = body.seed ?? drawSeed(random);
      await steering.change(() => faults.replace(seed, body.faults.map(faultOf)));
      return inForce(faults);
    }),
    DELETE: described("Remove all faults", faultList, {}, async ({ steering, faults }) => {
      await steering.change(() => faults.reset());
      return inForce(faults);
    }),
  },
};

function faultOf({ path, kind, status, delay, probability, times }: z.output<typeof faultInput>): Fault {
  const what =
    kind === "error" ? { kind, status: status ?? 500 } : kind === "delay" ? { kind, delayMs: delay ?? 0 } : { kind };
  return { path: path ?? null, what, probability, times: times ?? null };
}

function inForce({ seed, faults }: FaultPlan): Reply {
  return succeed(`${counted(faults.length, "fault")} in force`, { seed, faults: faults.map(faultView) });
}

function faultView({ path, what, probability, times }: Fault): FaultInForce {
  return {
    ...(path !== null && { path }),
    kind: what.kind,
    ...(what.kind === "error" && { status: what.status }),
    ...(what.kind === "delay" && { delay: formatDuration(what.delayMs) }),
    probability,
    ...(times !== null && { times }),
  };
}
