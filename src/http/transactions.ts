import { listTransactionsSchema, selectionOf } from "./input.ts";
import type { Operation } from "./operation.ts";
import { succeed } from "./reply.ts";
import { listMessage, listView } from "./view.ts";

/** `GET /transactions.php` (§4.3): the merchant's transactions, newest first. */
export const transactions: Operation<typeof listTransactionsSchema> = {
  schema: listTransactionsSchema,
  async carryOut(input, merchantId, { service, profile, request }) {
    const { filter, page } = selectionOf(input);
    const list = await service.listTransactions(merchantId, filter, page, request.signal);
    return succeed(listMessage(list.summary), listView(list, input, profile));
  },
};
