/**
 * How a change of rules, default, faults, clock or webhook is applied. A single server changes its own memory. Several servers on
 * one database apply one document, see shared-steering.ts.
 */
export interface Steering {
  /**
   * Runs `work`, which changes what is in force. It is in force everywhere when this returns.
   * @param work must do nothing else, because it may run twice
   * @throws what `work` throws, and then nothing has changed; Refusal `unavailable` if another server has not confirmed the change
   */
  change<T>(work: () => T): Promise<T>;
  /**
   * Runs `work`, which uses up something that is counted, on the latest state. Other servers apply it at their next poll. A single
   * server does it at once, so that requests count in their order.
   */
  count<T>(work: () => T): T | Promise<T>;
  /** False if the state of this server can be out of date: other servers did not wait for its confirmation. */
  readonly isFresh: boolean;
  /** Loads what other servers have changed. */
  refresh(): Promise<void>;
  /**
   * Call it before the first request.
   * @param onChange called with the names of the parts that other servers have changed
   */
  start(state: State, onChange: (names: readonly PartName[]) => void): Promise<void>;
  /** Call it at the end. */
  stop(): Promise<void>;
}

export const steeredAlone: Steering = {
  change: async (work) => work(),
  count: (work) => work(),
  isFresh: true,
  refresh: async () => {},
  start: async () => {},
  stop: async () => {},
};

/** A part of the state that a sandbox has outside its database. */
export interface StatePart {
  /** Its content in plain JSON, for other servers and for snapshots. */
  save(): unknown;
  /** Applies what another server, or this one, has saved. */
  load(saved: unknown): void;
  /** As `momo reset` leaves it. */
  reset(): void;
}

export type PartName = "rules" | "default" | "faults" | "webhook" | "clock" | "reset";

/** All of them. */
export type State = Readonly<Record<PartName, StatePart>>;

/**
 * The part that is only forgotten: what this process keeps about payments. It counts resets, so that each server on a database
 * notices those of the others.
 */
export function createForgetting(forgets: readonly (() => void)[]): StatePart {
  let resets = 0;
  const load = (count: number) => {
    resets = count;
    for (const forget of forgets) forget();
  };
  return { save: () => resets, load: (count) => load(count as number), reset: () => load(resets + 1) };
}
