import type { Msisdn } from "../domain/phone.ts";
import type { CompletedTransaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";

/**
 * The payments of all merchants that completed last, newest first; of one phone, or of any.
 * @param limit 1 to 100; of each merchant, as many of the newest payments are looked at
 */
export async function listPaid(
  { merchants, transactionList }: Pick<Store, "merchants" | "transactionList">,
  limit: number,
  phone: Msisdn | null,
): Promise<CompletedTransaction[]> {
  const filter = { status: "completed" as const, ...(phone !== null && { search: phone }) };
  const paid: CompletedTransaction[] = [];
  for (const { id } of await merchants.listMerchants()) {
    const { rows } = await transactionList.list(id, filter, { number: 1, limit });
    for (const row of rows) {
      // The search also finds references that look like this phone.
      if (row.status === "completed" && (phone === null || row.phone === phone)) paid.push(row);
    }
  }
  return paid.sort((a, b) => b.completedAtMs - a.completedAtMs || b.id - a.id).slice(0, limit);
}
