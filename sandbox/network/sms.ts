import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Completed, TransactionFacts } from "../../src/domain/transaction.ts";

/**
 * The text message that a customer gets for a payment:
 * `UJ22T8IYOU Confirmed. Ksh1,200.00 sent to SHOP for account REF on 2/10/26 at 6:11 PM`.
 * @param business the merchant's name
 */
export function receiptSms(
  payment: Pick<TransactionFacts & Completed, "amountCents" | "reference" | "receiptNumber" | "completedAtMs">,
  business: string,
): string {
  const amount = (payment.amountCents / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });
  const account = payment.reference ? ` for account ${payment.reference}` : "";
  const [year = 0, month, day, hour = 0, minute] = formatTimestamp(payment.completedAtMs).split(/[- :]/).map(Number);
  const date = `${day}/${month}/${String(year % 100).padStart(2, "0")}`;
  const time = `${hour % 12 || 12}:${String(minute).padStart(2, "0")} ${hour < 12 ? "AM" : "PM"}`;
  return `${payment.receiptNumber} Confirmed. Ksh${amount} sent to ${business}${account} on ${date} at ${time}`;
}
