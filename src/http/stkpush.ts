import { orderOf, startPaymentSchema } from "./input.ts";
import type { Operation } from "./operation.ts";
import { succeed } from "./reply.ts";
import { startedView } from "./view.ts";

/** A note to the provider, which the service does not read. */
const INSTRUCTION_HEADER = "X-Sandbox-Outcome";

/** `POST /stkpush.php` (§4.1): starts a payment. */
export const stkpush: Operation<typeof startPaymentSchema> = {
  schema: startPaymentSchema,
  async carryOut(input, merchantId, { service, profile, request }) {
    const transaction = await service.startPayment(merchantId, {
      ...orderOf(input),
      kind: "api",
      instruction: request.headers.get(INSTRUCTION_HEADER),
    });
    return succeed("STK push sent: the customer has been asked for a PIN", startedView(transaction, profile));
  },
};
