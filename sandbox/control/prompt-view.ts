import { toShillings } from "../../src/domain/money.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Transaction } from "../../src/domain/transaction.ts";

/**
 * A prompt as its customer sees it.
 * @param business the merchant's name
 */
export function promptView(prompt: Transaction, business: string) {
  return {
    checkout_request_id: prompt.checkoutRequestId,
    phone: prompt.phone,
    business,
    amount: toShillings(prompt.amountCents),
    reference: prompt.reference,
    description: prompt.description,
    created_at: formatTimestamp(prompt.createdAtMs),
    expires_at: formatTimestamp(prompt.expiresAtMs),
    expires_at_ms: prompt.expiresAtMs,
  };
}
