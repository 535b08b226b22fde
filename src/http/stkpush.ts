import { orderOf, parseInput, startPaymentSchema } from "./input.ts";
import type { Operation } from "./operation.ts";
import { succeed } from "./reply.ts";
import { readJsonObject } from "./request.ts";
import { startedView } from "./view.ts";

/** A note to the provider, handed through unread. */
const INSTRUCTION_HEADER = "X-Sandbox-Outcome";

/** `POST /stkpush.php` (§4.1): starts a payment. */
export const stkpush: Operation = async (request, merchantId, { service, form }) => {
  const input = parseInput(startPaymentSchema, await readJsonObject(request));
  const transaction = await service.startPayment(merchantId, {
    ...orderOf(input),
    kind: "api",
    instruction: request.headers.get(INSTRUCTION_HEADER),
  });
  return succeed("STK push sent: the customer has been asked for a PIN", startedView(transaction, form));
};
