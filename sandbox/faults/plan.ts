import { createListeners } from "../../src/domain/listeners.ts";
import { seededChance } from "../../src/domain/random.ts";
import type { Fault } from "../control/shapes/faults.ts";
import { type Numbered, NumberedList, type Place, type SavedList } from "../numbered-list.ts";
import type { CountedRequest } from "./kind.ts";
import { kindOf } from "./kinds.ts";

export const MAX_FAULTS = 100;

/** What the kinds keep of the requests that they have counted, by the ids of the faults. */
type KeptById = Readonly<Record<number, unknown>>;

interface FaultState extends SavedList<Fault> {
  readonly seed: number;
  /** The state of the random generator. */
  readonly drawn: number;
  readonly kept: KeptById;
}

/** A fault that strikes a request, and what its kind keeps. */
export interface StrikingFault {
  readonly fault: Fault;
  readonly kept: unknown;
}

/** The faults in force, in order. */
export class FaultPlan {
  readonly #list = new NumberedList<Fault>("fault", MAX_FAULTS);
  #seed = 0;
  #chance = seededChance(0);
  #kept: KeptById = {};
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
    return this.#list.items.length === 0;
  }

  get faults(): readonly Numbered<Fault>[] {
    return this.#list.items;
  }

  /** Replaces all, and restarts the random generator and the counts. */
  replace(seed: number, next: readonly Fault[]): void {
    this.#list.replace(next);
    this.#begin(seed);
  }

  /**
   * Adds some. The random generator continues. Another seed restarts it.
   * @returns their ids
   */
  add(seed: number, more: readonly Fault[], place?: Place): number[] {
    const wasEmpty = this.isEmpty;
    const ids = this.#list.add(more, place);
    if (wasEmpty || seed !== this.#seed) this.#begin(seed);
    return ids;
  }

  /** @throws Refusal `not_found` */
  remove(id: string): void {
    this.#forget(this.#list.remove(id));
  }

  clear(): void {
    this.#list.clear();
    this.#begin(0);
  }

  reset(): void {
    this.#list.reset();
    this.#begin(0);
  }

  #begin(seed: number): void {
    this.#seed = seed;
    this.#chance = seededChance(seed);
    this.#kept = {};
  }

  /** Whether `strike` changes the state for this operation: a number of times, the random generator, or what a kind keeps. */
  isCounted(operation: string): boolean {
    const changes = (fault: Fault) =>
      fault.probability < 1 || fault.times !== undefined || kindOf(fault).count !== undefined;
    return this.faults.some((fault) => isFor(fault, operation) && changes(fault));
  }

  save(): FaultState {
    return { ...this.#list.save(), seed: this.#seed, drawn: this.#chance.state(), kept: this.#kept };
  }

  load(saved: FaultState): void {
    this.#list.load(saved);
    this.#seed = saved.seed;
    this.#chance = seededChance(saved.seed, saved.drawn);
    this.#kept = saved.kept;
  }

  /** The first fault that applies to a request; or null. */
  strike(request: CountedRequest): StrikingFault | null {
    for (const fault of this.faults) {
      if (!isFor(fault, request.operation)) continue;
      if (fault.probability < 1 && this.#chance() >= fault.probability) continue;
      const counted = kindOf(fault).count?.(fault, this.#kept[fault.id] ?? null, request);
      if (counted) this.#kept = { ...this.#kept, [fault.id]: counted.kept };
      if (counted && !counted.strikes) continue;
      if (this.#list.use(fault)) {
        if (fault.times === 1) this.#forget(fault.id);
        this.#counted.announce();
      }
      return { fault, kept: counted?.kept ?? null };
    }
    return null;
  }

  #forget(id: number): void {
    const { [id]: _, ...others } = this.#kept;
    this.#kept = others;
  }
}

const isFor = (fault: Fault, path: string): boolean => fault.path === undefined || fault.path === path;
