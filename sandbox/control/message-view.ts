import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { CompletedTransaction } from "../../src/domain/transaction.ts";
import { receiptSms } from "../network/sms.ts";

/**
 * The text message that a customer gets for a payment.
 * @param business the merchant's name
 */
export function messageView(payment: CompletedTransaction, business: string) {
  return {
    phone: payment.phone,
    text: receiptSms(payment, business),
    at: formatTimestamp(payment.completedAtMs),
    at_ms: payment.completedAtMs,
    checkout_request_id: payment.checkoutRequestId,
  };
}
