import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { drawSeed } from "../../src/domain/random.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { MAX_FAULTS } from "../faults/plan.ts";
import { type Calls, type ControlContext, described } from "./context.ts";
import { bodyOf } from "./input.ts";
import { fault, faultList } from "./shapes/faults.ts";

export const faultsRequest = z.strictObject({
  seed: z.int().min(0).max(0xffffffff).optional().describe("the same seed gives the same faults"),
  faults: z.array(fault).max(MAX_FAULTS),
});

const body = bodyOf(faultsRequest, { faults: [{ kind: "error", status: 503, probability: 0.1 }] });

/** The faults in force, with the times that are left, and their seed. */
export const FAULT_CALLS: Calls = {
  "/faults": {
    GET: described("The faults in force, and their seed", faultList, {}, async ({ state }) => inForce(state)),
    /** Without a seed, a random one is used and shown. */
    PUT: described("Replace all faults", faultList, { body }, async ({ steering, state, draws }, { body }) => {
      const seed = body.seed ?? drawSeed(draws);
      await steering.change(() => state.faults.replace(seed, body.faults));
      return inForce(state);
    }),
    DELETE: described("Remove all faults", faultList, {}, async ({ steering, state }) => {
      await steering.change(() => state.faults.reset());
      return inForce(state);
    }),
  },
};

const inForce = ({ faults: { seed, faults } }: ControlContext["state"]): Reply =>
  succeed(`${counted(faults.length, "fault")} in force`, { seed, faults });
