import type { Transaction } from "../domain/transaction.ts";

export type ChangeListener = (transaction: Transaction) => void;

/** Notifies subscribers when a transaction starts and when it ends, after it is on disk. */
export interface Changes {
  /** @returns a function that ends the subscription */
  subscribe(listener: ChangeListener): () => void;
  announce(transaction: Transaction): void;
}

export function createChanges(): Changes {
  const listeners = new Set<ChangeListener>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(transaction) {
      for (const listener of listeners) listener(transaction);
    },
  };
}
