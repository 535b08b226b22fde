import type { StoryOnWire } from "./shapes/payments.ts";

/** A person at the console, or another program by `POST /_momo/payments`. */
type Starter = NonNullable<StoryOnWire["started_by"]>;

export type TestPayments = ReturnType<typeof createTestPayments>;

/** As many as the request log has requests. */
const CAPACITY = 1000;

/** The test payments since the server started. They are no requests to the merchant API, so the log does not have them. */
export function createTestPayments() {
  const starters = new Map<string, Starter>();
  return {
    note(checkoutRequestId: string, starter: Starter): void {
      starters.set(checkoutRequestId, starter);
      const [oldest] = starters.keys();
      if (starters.size > CAPACITY && oldest !== undefined) starters.delete(oldest);
    },
    /** Null for a payment of a client, and for a test payment that is no longer kept. */
    starterOf: (checkoutRequestId: string): Starter | null => starters.get(checkoutRequestId) ?? null,
    clear: () => starters.clear(),
  };
}
