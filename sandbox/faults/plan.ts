import { createListeners } from "../../src/domain/listeners.ts";
import { seededChance } from "../../src/domain/random.ts";
import type { Fault } from "../control/shapes/faults.ts";
import type { CountedRequest } from "./kind.ts";
import { kindOf } from "./kinds.ts";

export const MAX_FAULTS = 100;

/** A fault in force, and what its kind keeps of the requests that it has counted. */
interface InForce {
  readonly fault: Fault;
  readonly kept: unknown;
}

interface FaultState {
  readonly seed: number;
  readonly inForce: readonly InForce[];
  /** The faults as they were set, before any was counted. */
  readonly given: readonly Fault[];
  /** The state of the random generator. */
  readonly drawn: number;
}

/** The faults in force, in order. */
export class FaultPlan {
  #seed = 0;
  #inForce: readonly InForce[] = [];
  #given: readonly Fault[] = [];
  #chance = seededChance(0);
  readonly #counted;

  constructor(reportFault: (error: unknown) => void) {
    this.#counted = createListeners<[]>(reportFault);
  }

  /** The listener is called when one of the times of a fault is used up. */
  subscribe(listener: () => void): () => void {
    return this.#counted.subscribe(listener);
  }

  /** The same seed and the same requests give the same faults. */
  get seed(): number {
    return this.#seed;
  }

  get isEmpty(): boolean {
    return this.#inForce.length === 0;
  }

  get faults(): readonly Fault[] {
    return this.#inForce.map(({ fault }) => fault);
  }

  replace(seed: number, next: readonly Fault[]): void {
    // Adding or removing a fault does not restart the random generator. Another seed does, and so does the same list again, as it
    // was set or as it is left.
    const before = this.faults.map(textOf);
    const after = next.map(textOf);
    const isSame = [before, this.#given.map(textOf)].some((texts) => texts.join() === after.join());
    if (seed !== this.#seed || isSame || !after.some((one) => before.includes(one))) this.#chance = seededChance(seed);
    this.#seed = seed;
    this.#given = next;
    this.#inForce = next.map((fault) => ({ fault, kept: null }));
  }

  /** Whether `strike` changes the state for this operation: a number of times, the random generator, or what a kind keeps. */
  isCounted(operation: string): boolean {
    const changes = (fault: Fault) =>
      fault.probability < 1 || fault.times !== undefined || kindOf(fault).count !== undefined;
    return this.#inForce.some(({ fault }) => isFor(fault, operation) && changes(fault));
  }

  save(): FaultState {
    return { seed: this.#seed, inForce: this.#inForce, given: this.#given, drawn: this.#chance.state() };
  }

  load({ seed, inForce, given, drawn }: FaultState): void {
    this.#seed = seed;
    this.#inForce = inForce;
    this.#given = given;
    this.#chance = seededChance(seed, drawn);
  }

  reset(): void {
    this.replace(0, []);
  }

  /** The first fault that applies to a request, and what its kind keeps; or null. */
  strike(request: CountedRequest): InForce | null {
    for (const one of this.#inForce) {
      const { fault } = one;
      if (!isFor(fault, request.operation)) continue;
      if (fault.probability < 1 && this.#chance() >= fault.probability) continue;
      const counted = kindOf(fault).count?.(fault, one.kept, request);
      const next = counted ? { fault, kept: counted.kept } : one;
      if (counted && !counted.strikes) {
        this.#put(one, next);
        continue;
      }
      this.#use(one, next);
      return next;
    }
    return null;
  }

  /** Puts a fault in the place of another one; null removes it. */
  #put(old: InForce, next: InForce | null): void {
    if (next === old) return;
    this.#inForce = this.#inForce.flatMap((one) => (one === old ? (next ?? []) : one));
  }

  #use(old: InForce, next: InForce): void {
    const { fault } = next;
    if (fault.times === undefined) {
      this.#put(old, next);
      return;
    }
    const times = fault.times - 1;
    this.#put(old, times > 0 ? { ...next, fault: { ...fault, times } } : null);
    this.#counted.announce();
  }
}

/** The same for the same fault, in whatever order its members came. */
const textOf = (fault: Fault): string => JSON.stringify(Object.entries(fault).sort());

const isFor = (fault: Fault, path: string): boolean => fault.path === undefined || fault.path === path;
