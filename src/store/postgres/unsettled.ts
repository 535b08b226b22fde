import type { Transaction } from "../../domain/transaction.ts";

/** Outcomes whose write had no answer until its deadline. They are written again until it is known whether they are stored. */
export class Unsettled {
  readonly #outcomes = new Map<number, Transaction>();
  #settled: Transaction[] = [];
  #settling: Promise<void> | null = null;

  add(outcomes: readonly Transaction[]): void {
    for (const outcome of outcomes) this.#outcomes.set(outcome.id, outcome);
  }

  delete(outcomes: readonly Transaction[]): void {
    for (const { id } of outcomes) this.#outcomes.delete(id);
  }

  hasAny(outcomes: readonly Transaction[]): boolean {
    return outcomes.some(({ id }) => this.#outcomes.has(id));
  }

  /** Tries all again. @param write as for any other outcome; resolves with it if this replica stored it, now or before */
  async settle(write: (outcome: Transaction) => Promise<Transaction[]>): Promise<void> {
    if (this.#outcomes.size === 0) return;
    this.#settling ??= this.#settleAll(write);
    await this.#settling;
  }

  async #settleAll(write: (outcome: Transaction) => Promise<Transaction[]>): Promise<void> {
    for (const result of await Promise.allSettled([...this.#outcomes.values()].map(write))) {
      if (result.status === "fulfilled") this.#settled.push(...result.value);
    }
    this.#settling = null;
  }

  /** Those that turned out to be stored, each once. */
  take(): Transaction[] {
    return this.#settled.splice(0);
  }

  clear(): void {
    this.#outcomes.clear();
    this.#settled = [];
  }
}
