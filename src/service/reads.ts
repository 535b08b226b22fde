import type { Clock } from "../domain/clock.ts";
import { Refusal } from "../domain/error.ts";
import type { TransactionFilter } from "../domain/filters.ts";
import type { Page } from "../domain/list.ts";
import type { Msisdn } from "../domain/phone.ts";
import type { CompletedTransaction, PendingTransaction, Transaction } from "../domain/transaction.ts";
import type { ListedPage, SavedTransactions, Store } from "../store/store.ts";
import type { Resolver } from "./resolver.ts";

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly resolver: Resolver;
  readonly reportFault: (error: unknown) => void;
}

type Found = Transaction | null | Promise<Transaction | null>;
type Lookup = () => Found;

export interface Reads {
  /** Resolves what is due. */
  catchUp(): Promise<void>;
  /** Of any merchant; null if there is none. */
  readonly findByCheckoutRequestId: (id: string) => Found;
  /** The newest with this reference, of any merchant; null if there is none. */
  readonly findByReference: (reference: string) => Found;
  /**
   * One transaction by its checkout request id (§4.2).
   * @returns it without a promise if the store has it in memory
   * @throws Refusal `not_found`, with the same message if it is another merchant's
   */
  checkStatus(merchantId: number, checkoutRequestId: string): Transaction | Promise<Transaction>;
  /**
   * A page of a merchant's transactions, newest first, with counts of all that the filter selects (§4.3).
   * @throws Refusal `not_found` if the filter has an id and selects nothing
   */
  listTransactions(
    merchantId: number,
    filter: TransactionFilter,
    page: Page,
    signal?: AbortSignal,
  ): Promise<ListedPage>;
  listPrompts(limit: number, phone: Msisdn | null): Promise<PendingTransaction[]>;
  readonly countPrompts: (phone: Msisdn) => Promise<number>;
  listPaid(limit: number, phone: Msisdn | null): Promise<CompletedTransaction[]>;
  /** @returns null if there are more than `most` */
  saveTransactions(most: number): Promise<SavedTransactions | null>;
}

/**
 * Reads of transactions. What is due is resolved before, because an alarm may be late, and a payment is never shown as pending
 * after its deadline. A read does not change an outcome, only when it is written.
 */
export function createReads({ store, clock, resolver, reportFault }: Parts): Reads {
  /** If nothing can be resolved, reads work as long as no payment is past its deadline. */
  async function resolveWith(resolveIt: () => Promise<void>, isOverdue: () => Promise<boolean>): Promise<void> {
    if (resolver.hasFailed && !(await isOverdue())) return;
    try {
      await resolveIt();
    } catch (error) {
      if (await isOverdue()) throw error;
      reportFault(error);
    }
    const unresolved = whyUnresolved(resolver);
    if (unresolved && (await isOverdue())) throw unresolved;
  }

  function current(found: Transaction | null, lookup: Lookup): Found {
    if (found?.status !== "pending" || found.checkAtMs > clock.nowMs()) return found;
    const isOverdue = async () => found.expiresAtMs <= clock.nowMs();
    return resolveWith(() => resolver.resolveFirst(found.checkoutRequestId), isOverdue).then(lookup);
  }

  /** Without a promise if the lookup has none and nothing is due. */
  function find(lookup: Lookup): Found {
    const found = lookup();
    return found instanceof Promise ? found.then((later) => current(later, lookup)) : current(found, lookup);
  }

  async function catchUp(): Promise<void> {
    // The resolver has no alarm for payments of other processes: only the database knows whether one is due.
    if (!resolver.isBehind && !store.isShared) return;
    await resolveWith(
      () => resolver.resolveDue(),
      () => store.transactions.isAnyOverdue(clock.nowMs()),
    );
  }

  const findByCheckoutRequestId = (id: string) => find(() => store.transactions.findByCheckoutRequestId(id));

  return {
    catchUp,
    findByCheckoutRequestId,
    findByReference: (reference: string) => find(() => store.transactions.findByReference(reference)),
    checkStatus(merchantId: number, checkoutRequestId: string): Transaction | Promise<Transaction> {
      const found = findByCheckoutRequestId(checkoutRequestId);
      return found instanceof Promise ? found.then((later) => ownOf(merchantId, later)) : ownOf(merchantId, found);
    },

    async listTransactions(merchantId: number, filter: TransactionFilter, page: Page, signal?: AbortSignal) {
      await catchUp();
      const list = await store.transactionList.list(merchantId, filter, page, signal);
      if (filter.id !== undefined && list.summary.totalItems === 0) throw noSuchTransaction(filter);
      return list;
    },

    async listPrompts(limit: number, phone: Msisdn | null) {
      await catchUp();
      return store.transactions.listPending(limit, phone);
    },
    countPrompts: (phone: Msisdn) => store.transactions.countPending(phone),
    async listPaid(limit: number, phone: Msisdn | null) {
      await catchUp();
      return store.transactions.listPaid(limit, phone);
    },
    async saveTransactions(most: number) {
      await catchUp();
      return store.transactions.save(most);
    },
  };
}

/** Names the filters beside the id only if there are some. */
function noSuchTransaction({ id: _, ...others }: TransactionFilter): Refusal {
  const hasOthers = Object.values(others).some((value) => value !== undefined);
  const what = hasOthers ? "this id and these filters" : "this id";
  return new Refusal("not_found", `there is no transaction of yours with ${what}`);
}

/** Why the last round may have left out what is due. */
function whyUnresolved({ isStopped, isClockUnknown }: Resolver): Refusal | null {
  if (isStopped) return new Refusal("stopping", "the server is stopping: try again when it is back");
  return isClockUnknown
    ? new Refusal("unavailable", "the database did not answer this server in time: try again")
    : null;
}

function ownOf(merchantId: number, transaction: Transaction | null): Transaction {
  if (transaction?.merchantId !== merchantId) {
    throw new Refusal("not_found", "checkout_request_id is not that of a payment of yours");
  }
  return transaction;
}
