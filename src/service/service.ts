import type { Clock } from "../domain/clock.ts";
import type { DeliveryStore } from "../domain/delivery.ts";
import { createListeners, type Listener } from "../domain/listeners.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Provider } from "../domain/provider.ts";
import type { Random } from "../domain/random.ts";
import type { PendingTransaction, Transaction } from "../domain/transaction.ts";
import type { SavedTransactions, Store } from "../store/store.ts";
import type { Vitals } from "../store/vitals.ts";
import { answerPrompt } from "./answer-prompt.ts";
import { authenticate } from "./authenticate.ts";
import { Exports } from "./exports.ts";
import { createReads, type Reads } from "./reads.ts";
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
  readonly idRandom?: Random;
  /** How long a prompt waits for its customer before it expires. */
  readonly promptTimeoutMs: number;
  /** The end of the refusal of an account that is not the merchant's: how to open one. Empty by default. */
  readonly accountAdvice?: string;
  /** Whether this process knows the time that all processes on the store share. Absent for a single process. */
  readonly mayDecide?: () => boolean;
  /** Called with errors that no caller gets. */
  readonly reportFault: (error: unknown) => void;
}

export interface Service extends Omit<Reads, "catchUp"> {
  readonly registry: Registry;
  readonly exports: Exports;
  readonly resolver: Resolver;
  readonly vitals: Vitals;
  readonly storage: StorageHealth;
  /** What is sent about payments that have ended. */
  readonly deliveries: DeliveryStore;
  readonly nowMs: () => number;
  /** When the next check of any payment is due; null while nothing is pending. */
  readonly nextCheckAtMs: () => Promise<number | null>;
  /** Whether other processes also change transactions. Their changes are not announced here. */
  readonly isShared: boolean;
  readonly replicaChangeToken: () => Promise<string>;
  /** Calls the listener with each transaction when it starts and when it ends. */
  readonly subscribe: (listener: Listener<[Transaction]>) => () => void;
  readonly authenticate: (apiKey: string | null, apiSecret: string | null) => number | Promise<number>;
  startPayment(merchantId: number, order: PaymentOrder): Promise<PendingTransaction>;
  readonly answerPrompt: (
    checkoutRequestId: string,
    outcomeOf: (pending: PendingTransaction) => Outcome,
  ) => Promise<Transaction>;
  /** Runs work that replaces all payments. One that is being started meanwhile is refused. */
  readonly replaceAll: <T>(reason: string, work: () => Promise<T>) => Promise<T>;
  /** Merchants, accounts and keys stay. */
  readonly forgetTransactions: () => Promise<void>;
  readonly restoreTransactions: (saved: SavedTransactions) => Promise<void>;
}

/** All actions of merchants and of time. */
export function createService(outside: ServiceParts): Service {
  const { store } = outside;
  const storage = new StorageHealth(outside);
  /** Announces a transaction when it starts and when it ends, after it is on disk. */
  const changes = createListeners<[Transaction]>(storage.reportFault);
  const reporting = { ...outside, storage, reportFault: storage.reportFault };
  const resolver = new Resolver({ ...reporting, changes });
  const reads = createReads({ ...reporting, resolver });
  const parts = { ...reporting, changes, reads, idRandom: outside.idRandom ?? outside.random };
  const starts = createStarts();

  return {
    ...reads,
    registry: new Registry(parts),
    exports: new Exports(store.transactionList, reads.catchUp),
    resolver,
    vitals: store.vitals,
    storage,
    deliveries: store.deliveries,
    nowMs: () => outside.clock.nowMs(),
    nextCheckAtMs: () => store.transactions.nextCheckAtMs(),
    isShared: store.isShared,
    replicaChangeToken: () => store.replicaChangeToken(),
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
    replaceAll: starts.replaceAll,
    forgetTransactions: () => resolver.replaceTransactions(() => store.transactions.clear()),
    restoreTransactions: (saved: SavedTransactions) => resolver.replaceTransactions(() => saved.restore()),
  };
}
