import { invalid } from "../src/domain/error.ts";
import { seededChance } from "../src/domain/random.ts";

export const FAULT_KINDS = ["error", "delay", "disconnect"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** An injected failure of the merchant API. */
export interface Fault {
  /** The operation that it is for, such as `/stkpush.php`; null: any. */
  readonly path: string | null;
  readonly what: /** Answered with this status; the operation is not carried out. */
    | { readonly kind: "error"; readonly status: number }
    /** Carried out after this time. */
    | { readonly kind: "delay"; readonly delayMs: number }
    /** Carried out, but the answer is lost. */
    | { readonly kind: "disconnect" };
  /** From above 0 to 1. */
  readonly probability: number;
  /** How often it still strikes; null: always. */
  readonly times: number | null;
}

export const MAX_FAULTS = 100;

export type FaultPlan = ReturnType<typeof createFaultPlan>;

export interface FaultState {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** The state of the chance. */
  readonly drawn: number;
}

/** The faults in force, in order. */
export function createFaultPlan() {
  let seed = 0;
  let faults: readonly Fault[] = [];
  let chance = seededChance(seed);

  return {
    /** The same seed and the same requests give the same faults. */
    get seed() {
      return seed;
    },
    get faults() {
      return faults;
    },
    /** @throws Refusal `invalid` beyond {@link MAX_FAULTS} */
    replace(nextSeed: number, next: readonly Fault[]): void {
      if (next.length > MAX_FAULTS) throw invalid(`there can be at most ${MAX_FAULTS} faults`);
      seed = nextSeed;
      faults = next;
      chance = seededChance(seed);
    },
    /** Whether `strike` uses up something for this operation: a number of times, or chance. */
    isCounted: (path: string): boolean =>
      faults.some((fault) => isFor(fault, path) && (fault.probability < 1 || fault.times !== null)),
    /** All of it, for another server that goes on from there. */
    state: (): FaultState => ({ seed, faults, drawn: chance.state() }),
    resume(state: FaultState): void {
      ({ seed, faults } = state);
      chance = seededChance(seed, state.drawn);
    },
    /** The fault for the next request to an operation: the first that is for it and strikes, or null. */
    strike(path: string): Fault["what"] | null {
      for (const fault of faults) {
        if (!isFor(fault, path)) continue;
        if (fault.probability < 1 && chance() >= fault.probability) continue;
        if (fault.times !== null) {
          const left = { ...fault, times: fault.times - 1 };
          faults = faults.flatMap((other) => (other !== fault ? [other] : left.times > 0 ? [left] : []));
        }
        return fault.what;
      }
      return null;
    },
  };
}

const isFor = (fault: Fault, path: string): boolean => fault.path === null || fault.path === path;
