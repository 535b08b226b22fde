import type { Clock } from "../domain/clock.ts";
import { Refusal } from "../domain/error.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Resolver } from "./resolver.ts";

interface Parts {
  readonly store: Pick<Store, "transactions" | "isShared">;
  readonly clock: Clock;
  readonly resolver: Resolver;
  readonly reportFault: (error: unknown) => void;
}

type Lookup = () => Transaction | null | Promise<Transaction | null>;

/**
 * Resolves due payments before they are read, because an alarm may be late, and a payment is never shown as pending after its
 * deadline. A read does not change an outcome, only when it is written.
 */
export interface UpToDate {
  /** One transaction; null if there is none. Without a promise if the lookup has none and nothing is due. */
  find(lookup: Lookup): ReturnType<Lookup>;
  /** Call it before a list is read. */
  catchUp(): Promise<void>;
}

export function createUpToDate({ store, clock, resolver, reportFault }: Parts): UpToDate {
  /** If the store cannot be written, or the server is stopping, reads work as long as no payment is past its deadline. */
  async function resolveWith(resolveIt: () => Promise<void>, isOverdue: () => Promise<boolean>): Promise<void> {
    if (resolver.hasFailed && !(await isOverdue())) return;
    try {
      await resolveIt();
    } catch (error) {
      if (await isOverdue()) throw error;
      reportFault(error);
    }
    if (resolver.isStopped && (await isOverdue()))
      throw new Refusal("stopping", "the server is stopping: try again when it is back");
  }

  function current(found: Transaction | null, lookup: Lookup): ReturnType<Lookup> {
    if (found?.status !== "pending" || found.checkAtMs > clock.nowMs()) return found;
    const isOverdue = async () => found.expiresAtMs <= clock.nowMs();
    return resolveWith(() => resolver.resolveFirst(found.checkoutRequestId), isOverdue).then(lookup);
  }

  return {
    find(lookup) {
      const found = lookup();
      return found instanceof Promise ? found.then((later) => current(later, lookup)) : current(found, lookup);
    },
    async catchUp() {
      // The resolver has no alarm for payments of other processes: only the database knows whether one is due.
      if (!resolver.isBehind && !store.isShared) return;
      await resolveWith(
        () => resolver.resolveDue(),
        () => store.transactions.isAnyOverdue(clock.nowMs()),
      );
    },
  };
}
