import type { Page, TransactionFilter } from "../domain/filter.ts";
import { parseDay } from "../domain/timestamp.ts";
import type { Operation } from "./api.ts";
import { LIST_PARAMETERS, listTransactionsSchema, parseInput } from "./input.ts";
import { succeed } from "./reply.ts";
import { readQuery } from "./request.ts";
import { listView } from "./view.ts";

/** `GET /transactions.php` (§4.3): the merchant's transactions, newest first. */
export const transactions: Operation = async (_request, merchantId, { service, form, query }) => {
  const input = parseInput(listTransactionsSchema, readQuery(query, LIST_PARAMETERS));
  const page: Page = { number: input.page, limit: input.limit };
  const fromDay = parseDay(input.date_from ?? "");
  const toDay = parseDay(input.date_to ?? "");
  const filter: TransactionFilter = {
    ...(input.type !== undefined && { kind: input.type }),
    ...(input.status !== undefined && { status: input.status }),
    ...(fromDay !== null && { fromDay }),
    ...(toDay !== null && { toDay }),
    ...(input.search !== undefined && { search: input.search }),
    ...(input.id !== undefined && { id: input.id }),
  };
  const list = await service.listTransactions(merchantId, filter, page);
  return succeed(
    `${list.summary.totalItems} transaction${list.summary.totalItems === 1 ? "" : "s"}`,
    listView(list, filter, page, form),
  );
};
