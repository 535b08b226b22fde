import { checkStatusSchema, parseInput } from "./input.ts";
import type { Operation } from "./operation.ts";
import { succeed } from "./reply.ts";
import { readJsonObject } from "./request.ts";
import { statusView } from "./view.ts";

/** `POST /status.php` (§4.2): what has become of a payment. */
export const status: Operation = async (request, merchantId, { service, form }) => {
  const input = parseInput(checkStatusSchema, await readJsonObject(request));
  const transaction = await service.checkStatus(merchantId, input.checkout_request_id);
  return succeed(`the payment is ${transaction.status}`, statusView(transaction, form));
};
