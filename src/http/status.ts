import type { Transaction } from "../domain/transaction.ts";
import { checkStatusSchema, hasWrittenId } from "./input.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { type Reply, succeed } from "./reply.ts";
import { statusView } from "./view.ts";

/** Clients poll the same payment again and again: its answer is made once for each state of the payment. */
function answerOf(transaction: Transaction, { profile, statusReplies }: OperationContext): Reply {
  const known = statusReplies.get(transaction);
  if (known) return known;
  const reply = succeed(`the payment is ${transaction.status}`, statusView(transaction, profile));
  statusReplies.set(transaction, reply);
  return reply;
}

/** `POST /status.php` (§4.2): the status of a payment. */
export const status: Operation<typeof checkStatusSchema> = {
  schema: checkStatusSchema,
  fits: hasWrittenId,
  carryOut(input, merchantId, context) {
    const found = context.service.checkStatus(merchantId, input.checkout_request_id);
    return found instanceof Promise ? found.then((later) => answerOf(later, context)) : answerOf(found, context);
  },
};
