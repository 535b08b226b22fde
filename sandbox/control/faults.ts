import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { drawSeed, type Random } from "../../src/domain/random.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { MAX_FAULTS } from "../faults/plan.ts";
import { type Calls, type ControlContext, call } from "./context.ts";
import { added, bodyOf, itemsBody, placeOf, placeQuery } from "./input.ts";
import { fault, faultInForce } from "./shapes/faults.ts";
import { addedIds, count } from "./shapes/values.ts";

export const faultsRequest = z.strictObject({
  seed: z.int().min(0).max(0xffffffff).optional().describe("the same seed gives the same faults"),
  faults: z.array(fault).max(MAX_FAULTS),
});

const faultList = { seed: count, faults: z.array(faultInForce) };

const example = { faults: [{ kind: "error" as const, status: 503, probability: 0.1 }] };
const body = bodyOf(faultsRequest, example);
const items = itemsBody(faultsRequest, "faults", { kind: "error", status: 503, times: 1 });

/** The faults in force, with the times that are left, and their seed. */
export const FAULT_CALLS: Calls = {
  "/faults": {
    GET: call(faultList, {}, async ({ state }) => inForce(state)),
    /** Those in force go on with their seed. The first ones have a random one, unless one is given. */
    POST: call(
      { ...faultList, ...addedIds },
      { body: items, query: placeQuery },
      async ({ steering, state, idRandom }, { body, query }) => {
        const drawn = drawnOnce(idRandom);
        const seedNow = () => (state.faults.isEmpty ? drawn() : state.faults.seed);
        const ids = await steering.change(() => state.faults.add(body.seed ?? seedNow(), body.faults, placeOf(query)));
        return inForce(state, added(ids));
      },
    ),
    /** Without a seed, a random one is used and shown. */
    PUT: call(faultList, { body }, async ({ steering, state, idRandom }, { body }) => {
      const seed = body.seed ?? drawSeed(idRandom);
      await steering.change(() => state.faults.replace(seed, body.faults));
      return inForce(state);
    }),
    DELETE: call(faultList, {}, async ({ steering, state }) => {
      await steering.change(() => state.faults.clear());
      return inForce(state);
    }),
  },
  "/faults/ID": {
    DELETE: call(faultList, {}, async ({ steering, state }, { id }) => {
      await steering.change(() => state.faults.remove(id));
      return inForce(state);
    }),
  },
};

/** A seed that is drawn if it is needed, and the same when the change runs twice. */
function drawnOnce(idRandom: Random): () => number {
  let seed: number | undefined;
  return () => {
    seed ??= drawSeed(idRandom);
    return seed;
  };
}

const inForce = ({ faults: { seed, faults } }: ControlContext["state"], more: object = {}): Reply =>
  succeed(`${counted(faults.length, "fault")} in force`, { ...more, seed, faults });
