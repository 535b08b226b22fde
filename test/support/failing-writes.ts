import type { Store } from "../../src/store/store.ts";

/**
 * Has a store reject what would change a transaction.
 * @returns a function that ends it
 */
export function failWrites({ transactions }: Store, message: string): () => void {
  const { record, resolveDue } = transactions;
  const fail = () => Promise.reject(new Error(message));
  transactions.record = fail;
  transactions.resolveDue = (nowMs, limit, decide) =>
    resolveDue(nowMs, limit, async (due) => ((await decide(due)).length > 0 ? fail() : []));
  return () => void Object.assign(transactions, { record, resolveDue });
}
