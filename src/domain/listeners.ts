export type Listener<Args extends unknown[]> = (...args: Args) => void;

export interface Listeners<Args extends unknown[]> {
  /** @returns a function that ends the subscription */
  subscribe(listener: Listener<Args>): () => void;
  /** Calls every listener. Never throws. */
  announce(...args: Args): void;
}

/**
 * Those who want to know when something happens.
 * @param reportFault gets what a listener throws: neither the other listeners nor the caller must fail because of it
 */
export function createListeners<Args extends unknown[]>(reportFault: (error: unknown) => void): Listeners<Args> {
  const listeners = new Set<Listener<Args>>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(...args) {
      for (const listener of listeners) {
        try {
          listener(...args);
        } catch (error) {
          reportFault(error);
        }
      }
    },
  };
}
