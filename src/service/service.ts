import type { Clock } from "../domain/clock.ts";
import { createListeners } from "../domain/listeners.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Provider } from "../domain/provider.ts";
import type { Random } from "../domain/random.ts";
import type { PendingTransaction, Transaction } from "../domain/transaction.ts";
import type { SavedTransactions, Store } from "../store/store.ts";
import { answerPrompt } from "./answer-prompt.ts";
import { authenticate } from "./authenticate.ts";
import { createReads } from "./reads.ts";
import { Registry } from "./registry.ts";
import { Resolver } from "./resolver.ts";
import { createStarts, type PaymentOrder, startPayment } from "./start-payment.ts";
import { StorageHealth } from "./storage-health.ts";

export type { SavedTransactions } from "../store/store.ts";

export interface ServiceParts {
  readonly store: Store;
  readonly provider: Provider;
  readonly clock: Clock;
  /** Real time, if it differs from `clock`. */
  readonly realClock: Clock;
  /** For keys and secrets. */
  readonly random: Random;
  /** For the identifiers of payments; by default the same. */
  readonly draws?: Random;
  /** How long a prompt waits for its customer before it expires. */
  readonly promptTimeoutMs: number;
  /** The end of the refusal of an account that is not the merchant's: how to open one. Empty by default. */
  readonly accountAdvice?: string;
  /** Whether this process knows the time that all processes on the store share. Absent for a single process. */
  readonly mayDecide?: () => boolean;
  /** Called with errors that no caller gets. */
  readonly reportFault: (error: unknown) => void;
}

export type Service = ReturnType<typeof createService>;

/** All actions of merchants and of time. */
export function createService(outside: ServiceParts) {
  const { store } = outside;
  const storage = new StorageHealth(outside);
  /** Announces a transaction when it starts and when it ends, after it is on disk. */
  const changes = createListeners<[Transaction]>(storage.reportFault);
  const reporting = { ...outside, storage, reportFault: storage.reportFault };
  const resolver = new Resolver({ ...reporting, changes });
  const reads = createReads({ ...reporting, resolver });
  const parts = { ...reporting, changes, reads, draws: outside.draws ?? outside.random };
  const starts = createStarts();

  return {
    ...reads,
    registry: new Registry(parts),
    resolver,
    vitals: store.vitals,
    storage,
    /** What is sent about payments that have ended. */
    deliveries: store.deliveries,
    nowMs: () => outside.clock.nowMs(),
    /** When the next check of any payment is due; null while nothing is pending. */
    nextCheckAtMs: () => store.transactions.nextCheckAtMs(),
    /** Whether other processes also change transactions. Their changes are not announced here. */
    isShared: store.isShared,
    replicaChangeToken: () => store.replicaChangeToken(),
    /** Calls the listener with each transaction when it starts and when it ends. */
    subscribe: changes.subscribe,
    authenticate: (apiKey: string | null, apiSecret: string | null) => authenticate(store, apiKey, apiSecret),
    async startPayment(merchantId: number, order: PaymentOrder) {
      let transaction: PendingTransaction;
      try {
        transaction = await starts.run((requireCurrent) => startPayment(parts, merchantId, order, requireCurrent));
      } catch (error) {
        storage.fail(error);
        throw error;
      }
      storage.succeed();
      changes.announce(transaction);
      resolver.wakeAt(transaction.checkAtMs);
      return transaction;
    },
    answerPrompt: (checkoutRequestId: string, outcomeOf: (pending: PendingTransaction) => Outcome) =>
      answerPrompt(parts, checkoutRequestId, outcomeOf),
    /** Runs work that replaces all payments. One that is being started meanwhile is refused. */
    replaceAll: starts.replaceAll,
    /** Merchants, accounts and keys stay. */
    forgetTransactions: () => resolver.replaceTransactions(() => store.transactions.clear()),
    restoreTransactions: (saved: SavedTransactions) => resolver.replaceTransactions(() => saved.restore()),
  };
}
