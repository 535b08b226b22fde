import type { Clock } from "../domain/clock.ts";
import type { Page, TransactionFilter } from "../domain/filter.ts";
import type { Provider } from "../domain/provider.ts";
import type { Random } from "../domain/random.ts";
import type { Store } from "../store/store.ts";
import { authenticate } from "./authenticate.ts";
import { checkStatus } from "./check-status.ts";
import { listTransactions } from "./list-transactions.ts";
import { createRegistry } from "./registry.ts";
import { createResolver } from "./resolver.ts";
import { type PaymentOrder, startPayment } from "./start-payment.ts";

export interface ServiceParts {
  readonly store: Store;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly random: Random;
  /** How long a prompt waits for its customer before it expires. */
  readonly promptLifetimeMs: number;
  /** Told of what goes wrong where nobody is waiting for an answer. */
  readonly reportFault: (error: unknown) => void;
}

export type Service = ReturnType<typeof createService>;

/** All that a merchant, or the passage of time, can make happen. One verb a file; this only hands each its parts. */
export function createService(parts: ServiceParts) {
  const { store } = parts;
  const resolver = createResolver(parts);

  return {
    registry: createRegistry(parts),
    resolver,
    authenticate: (apiKey: string | null, apiSecret: string | null) => authenticate(store, apiKey, apiSecret),
    checkStatus: (merchantId: number, checkoutRequestId: string) => checkStatus(store, merchantId, checkoutRequestId),
    listTransactions: (merchantId: number, filter: TransactionFilter, page: Page) =>
      listTransactions(store, merchantId, filter, page),
    async startPayment(merchantId: number, order: PaymentOrder) {
      const transaction = await startPayment(parts, merchantId, order);
      resolver.wakeAt(transaction.checkAtMs);
      return transaction;
    },
  };
}
