import type { StoryOnWire } from "./shapes/payments.ts";

/** A person at the console, or another program by `POST /_momo/payments`. */
type Starter = NonNullable<StoryOnWire["started_by"]>;

export interface TestPayments {
  note(checkoutRequestId: string, starter: Starter): void;
  /** Null for a payment of a client, and for a test payment that is no longer kept. */
  readonly starterOf: (checkoutRequestId: string) => Starter | null;
  readonly clear: () => void;
}

/** As many as the request log has requests. */
const CAPACITY = 1000;

/** The test payments since the server started. They are no requests to the merchant API, so the log does not have them. */
export function createTestPayments(): TestPayments {
  const starters = new Map<string, Starter>();
  return {
    note(checkoutRequestId: string, starter: Starter): void {
      starters.set(checkoutRequestId, starter);
      const [oldest] = starters.keys();
      if (starters.size > CAPACITY && oldest !== undefined) starters.delete(oldest);
    },
    starterOf: (checkoutRequestId: string): Starter | null => starters.get(checkoutRequestId) ?? null,
    clear: () => starters.clear(),
  };
}
