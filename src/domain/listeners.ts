export type Listeners<Args extends unknown[]> = ReturnType<typeof createListeners<Args>>;

/** Those who want to know when something happens. */
export function createListeners<Args extends unknown[]>() {
  const listeners = new Set<(...args: Args) => void>();
  return {
    /** @returns a function that ends the subscription */
    subscribe(listener: (...args: Args) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(...args: Args): void {
      for (const listener of listeners) listener(...args);
    },
  };
}
