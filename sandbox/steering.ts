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
  /** Runs `work`, which uses up something that is counted, on the latest state. Other servers apply it at their next poll. */
  count<T>(work: () => T): Promise<T>;
  /** False if the state of this server can be out of date: other servers did not wait for its confirmation. */
  readonly isFresh: boolean;
  /** Loads what other servers have changed. */
  refresh(): Promise<void>;
}

export const steeredAlone: Steering = {
  change: async (work) => work(),
  count: async (work) => work(),
  isFresh: true,
  refresh: async () => {},
};

/** A part of what is steered. What it saves is plain JSON. */
export interface SteeredPart {
  readonly name: string;
  save(): unknown;
  /** Applies what another server has saved. */
  load(saved: unknown): void;
}
