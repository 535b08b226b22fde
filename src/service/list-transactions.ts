import { Refusal } from "../domain/error.ts";
import type { Page, Summary, TransactionFilter } from "../domain/filter.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";

/**
 * A page of a merchant's transactions, newest first, with counts over all that the filter selects (§4.3).
 * @throws Refusal `not_found` where the filter names an id that the merchant has no transaction of
 */
export async function listTransactions(
  { transactionList }: Pick<Store, "transactionList">,
  merchantId: number,
  filter: TransactionFilter,
  page: Page,
): Promise<{ rows: Transaction[]; summary: Summary }> {
  const list = await transactionList.list(merchantId, filter, page);
  if (filter.id !== undefined && list.summary.totalItems === 0) {
    throw new Refusal("not_found", "there is no transaction of yours with this id and these filters");
  }
  return list;
}
