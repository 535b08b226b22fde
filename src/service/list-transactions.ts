import { Refusal } from "../domain/error.ts";
import type { Page, Summary, TransactionFilter } from "../domain/filter.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { UpToDate } from "./up-to-date.ts";

interface Parts {
  readonly store: Pick<Store, "transactionList">;
  readonly upToDate: UpToDate;
}

/**
 * A page of a merchant's transactions, newest first, with counts of all that the filter selects (§4.3).
 * @throws Refusal `not_found` if the filter has an id and selects nothing
 */
export async function listTransactions(
  { store, upToDate }: Parts,
  merchantId: number,
  filter: TransactionFilter,
  page: Page,
  signal?: AbortSignal,
): Promise<{ rows: Transaction[]; summary: Summary }> {
  await upToDate.catchUp();
  const list = await store.transactionList.list(merchantId, filter, page, signal);
  if (filter.id !== undefined && list.summary.totalItems === 0) {
    throw new Refusal("not_found", "there is no transaction of yours with this id and these filters");
  }
  return list;
}
