import type { Transaction } from "../domain/transaction.ts";
import type { ResponseForm } from "./answers.ts";
import { checkStatusSchema } from "./input.ts";
import type { Operation } from "./operation.ts";
import { type Reply, succeed } from "./reply.ts";
import { statusView } from "./view.ts";

/** Clients poll the same payment again and again: its answer is made once for each form and each state of the payment. */
const kept = { full: new WeakMap<Transaction, Reply>(), short: new WeakMap<Transaction, Reply>() };

function answerOf(transaction: Transaction, form: ResponseForm): Reply {
  const known = kept[form].get(transaction);
  if (known) return known;
  const reply = succeed(`the payment is ${transaction.status}`, statusView(transaction, form));
  kept[form].set(transaction, reply);
  return reply;
}

/** `POST /status.php` (§4.2): the status of a payment. */
export const status: Operation<typeof checkStatusSchema> = {
  schema: checkStatusSchema,
  carryOut(input, merchantId, { service, form }) {
    const found = service.checkStatus(merchantId, input.checkout_request_id);
    return found instanceof Promise ? found.then((later) => answerOf(later, form)) : answerOf(found, form);
  },
};
