/** Who starts a test payment: a person at the console, or another program by `POST /_momo/payments`. */
export type Starter = "console" | "control_api";

/** The test payments since the server started: no call of the merchant API, so the request log does not know them. */
export interface TestPayments {
  note(checkoutRequestId: string, starter: Starter): void;
  /** Null for a payment that a client started, and for one that is forgotten. */
  starterOf(checkoutRequestId: string): Starter | null;
  clear(): void;
}

/** As many as the request log has calls. */
const CAPACITY = 1000;

export function createTestPayments(): TestPayments {
  const starters = new Map<string, Starter>();
  return {
    note(checkoutRequestId, starter) {
      starters.set(checkoutRequestId, starter);
      const [oldest] = starters.keys();
      if (starters.size > CAPACITY && oldest !== undefined) starters.delete(oldest);
    },
    starterOf: (checkoutRequestId) => starters.get(checkoutRequestId) ?? null,
    clear: () => starters.clear(),
  };
}
