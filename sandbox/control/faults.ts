import { z } from "zod";
import { formatDuration, parseDuration } from "../../src/domain/duration.ts";
import { drawSeed } from "../../src/domain/random.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { type Fault, type FaultPlan, MAX_FAULTS } from "../faults.ts";
import type { ControlCall } from "./context.ts";
import { readBody, readWith } from "./input.ts";

const KINDS = ["error", "delay", "disconnect"] as const;

/** @param paths what a fault can be for */
const faultsSchema = (paths: readonly string[]) =>
  z.strictObject({
    seed: z.int().min(0).max(0xffffffff).optional(),
    faults: z
      .array(
        z
          .strictObject({
            path: z
              .string()
              .refine((path) => paths.includes(path), { error: `must be one of ${paths.join(", ")}` })
              .optional(),
            kind: z.enum(KINDS, { error: `must be one of ${KINDS.join(", ")}` }),
            status: z.int().min(400).max(599).optional(),
            delay: readWith(z.string(), (text) => parseDuration(text, "it")).optional(),
            probability: z.number().gt(0).max(1).default(1),
            times: z.int().min(1).max(1_000_000).optional(),
          })
          .refine(({ kind, status }) => kind === "error" || status === undefined, {
            path: ["status"],
            error: "only an error has one",
          })
          .refine(({ kind, delay }) => (kind === "delay") === (delay !== undefined), {
            path: ["delay"],
            error: "a delay has one, and nothing else does",
          }),
      )
      .max(MAX_FAULTS),
  });

/** `GET /_momo/faults`: the faults in force, with the times that are left, and their seed. */
export const listFaults: ControlCall = async (_request, { faults }) => answer(faults);

/** `PUT /_momo/faults`: replaces all. The same seed brings the same faults; without one, one is drawn and shown. */
export const replaceFaults: ControlCall = async (request, { faults, operationPaths, random }) => {
  const input = await readBody(faultsSchema(operationPaths), request);
  const next = input.faults.map(
    ({ path, kind, status, delay, probability, times }): Fault => ({
      path: path ?? null,
      what:
        kind === "error"
          ? { kind, status: status ?? 500 }
          : kind === "delay"
            ? { kind, delayMs: delay ?? 0 }
            : { kind },
      probability,
      times: times ?? null,
    }),
  );
  faults.replace(input.seed ?? drawSeed(random), next);
  return answer(faults);
};

/** `DELETE /_momo/faults`: nothing goes wrong any more. */
export const removeFaults: ControlCall = async (_request, { faults }) => {
  faults.replace(0, []);
  return answer(faults);
};

function answer({ seed, faults }: FaultPlan): Reply {
  return succeed(`${faults.length} fault${faults.length === 1 ? "" : "s"} in force`, {
    seed,
    faults: faults.map(({ path, what, probability, times }) => ({
      ...(path !== null && { path }),
      kind: what.kind,
      ...(what.kind === "error" && { status: what.status }),
      ...(what.kind === "delay" && { delay: formatDuration(what.delayMs) }),
      probability,
      ...(times !== null && { times }),
    })),
  });
}
