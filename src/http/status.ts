import { checkStatusSchema } from "./input.ts";
import type { Operation } from "./operation.ts";
import { succeed } from "./reply.ts";
import { statusView } from "./view.ts";

/** `POST /status.php` (§4.2): the status of a payment. */
export const status: Operation<typeof checkStatusSchema> = {
  schema: checkStatusSchema,
  async carryOut(input, merchantId, { service, form }) {
    const transaction = await service.checkStatus(merchantId, input.checkout_request_id);
    return succeed(`the payment is ${transaction.status}`, statusView(transaction, form));
  },
};
