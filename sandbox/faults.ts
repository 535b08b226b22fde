import { createListeners } from "../src/domain/listeners.ts";
import { seededChance } from "../src/domain/random.ts";
import type { Fault } from "./control/shapes/steering.ts";

export const MAX_FAULTS = 100;

export type FaultPlan = ReturnType<typeof createFaultPlan>;

interface FaultState {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** The faults as they were set, before any was counted. */
  readonly given: readonly Fault[];
  /** The state of the random generator. */
  readonly drawn: number;
}

/** The faults in force, in order. */
export function createFaultPlan(reportFault: (error: unknown) => void) {
  let seed = 0;
  let faults: readonly Fault[] = [];
  let given = faults;
  let chance = seededChance(seed);
  const counted = createListeners<[]>(reportFault);

  function replace(nextSeed: number, next: readonly Fault[]): void {
    // Adding or removing a fault does not restart the random generator. Another seed does, and so does the same list again, as it
    // was set or as it is left.
    const [before, after] = [faults.map(textOf), next.map(textOf)];
    const isSame = [before, given.map(textOf)].some((texts) => texts.join() === after.join());
    if (nextSeed !== seed || isSame || !after.some((one) => before.includes(one))) chance = seededChance(nextSeed);
    seed = nextSeed;
    [faults, given] = [next, next];
  }

  return {
    /** Its listener is called when one of the times of a fault is used up. */
    subscribe: counted.subscribe,
    /** The same seed and the same requests give the same faults. */
    get seed() {
      return seed;
    },
    get faults() {
      return faults;
    },
    replace,
    /** Whether `strike` changes the state for this operation: a number of times, or the random generator. */
    isCounted: (path: string): boolean =>
      faults.some((fault) => isFor(fault, path) && (fault.probability < 1 || fault.times !== undefined)),
    save: (): FaultState => ({ seed, faults, given, drawn: chance.state() }),
    load(saved: FaultState): void {
      ({ seed, faults, given } = saved);
      chance = seededChance(seed, saved.drawn);
    },
    reset: () => replace(0, []),
    /** The fault for the next request to an operation: the first one that applies, or null. */
    strike(path: string): Fault | null {
      for (const fault of faults) {
        if (!isFor(fault, path)) continue;
        if (fault.probability < 1 && chance() >= fault.probability) continue;
        if (fault.times !== undefined) {
          const left = { ...fault, times: fault.times - 1 };
          faults = faults.flatMap((other) => (other !== fault ? [other] : left.times > 0 ? [left] : []));
          counted.announce();
        }
        return fault;
      }
      return null;
    },
  };
}

/** The same for the same fault, in whatever order its members came. */
const textOf = (fault: Fault): string => JSON.stringify(Object.entries(fault).sort());

const isFor = (fault: Fault, path: string): boolean => fault.path === undefined || fault.path === path;
