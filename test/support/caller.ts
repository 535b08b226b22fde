import type { PaymentOrder } from "../../src/service/start-payment.ts";
import type { Caller, Harness } from "./harness.ts";
import { orderTo } from "./payments.ts";

/** Starts a payment of KES 100 for a caller. */
export function pay({ service }: Harness, { merchantId, accountId }: Caller, changes: Partial<PaymentOrder> = {}) {
  return service.startPayment(merchantId, orderTo(accountId, changes));
}

/** The payment as the status operation finds it. */
export async function statusOf(
  { service }: Harness,
  { merchantId }: Caller,
  started: { readonly checkoutRequestId: string },
) {
  return service.checkStatus(merchantId, started.checkoutRequestId);
}
