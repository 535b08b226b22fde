import { type AmountCents, toShillings } from "../../src/domain/money.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { FinalTransaction } from "../../src/domain/transaction.ts";
import type { WebhookForm } from "./settings.ts";

/** The request that is POSTed to a webhook. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param atMs when the payment became final */
export function messageOf(form: WebhookForm, payment: FinalTransaction, atMs: number): WebhookMessage {
  const isNested = form === "payment.updated";
  return {
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "momo (sandbox)",
      ...(isNested && { "X-Webhook-Event": form, "X-Webhook-Source": "momo" }),
    },
    body: JSON.stringify(isNested ? nestedBody(payment, atMs) : flatBody(payment)),
  };
}

function nestedBody(payment: FinalTransaction, atMs: number) {
  const completed = payment.status === "completed" ? payment : null;
  return {
    event: "payment.updated",
    timestamp: formatTimestamp(atMs),
    data: {
      transaction_id: payment.id,
      checkout_request_id: payment.checkoutRequestId,
      merchant_request_id: payment.merchantRequestId,
      status: payment.status,
      amount: toShillings(payment.amountCents),
      phone_number: payment.phone,
      transaction_code: completed?.transactionCode ?? null,
      transaction_date: formatTimestamp(completed?.completedAtMs ?? atMs),
      result_code: payment.resultCode,
      result_desc: payment.resultDesc,
      payment_link_id: null,
      service_fee: toShillings(payment.feeCents),
      is_deposit: payment.kind === "wallet_deposit",
      type: payment.kind.toUpperCase(),
    },
  };
}

function flatBody(payment: FinalTransaction) {
  return {
    success: payment.status === "completed",
    status: payment.status,
    checkout_request_id: payment.checkoutRequestId,
    transaction_id: payment.id,
    amount: toShillings(payment.amountCents),
    phone: payment.phone,
    mpesa_receipt: payment.status === "completed" ? payment.receiptNumber : null,
  };
}

/** A completed payment that does not exist, to try a receiver. No payment has its ids. */
export const samplePayment = (nowMs: number): FinalTransaction => ({
  id: 0,
  merchantId: 0,
  paymentAccountId: 0,
  kind: "api",
  phone: "254712345678" as Msisdn,
  amountCents: 100_00 as AmountCents,
  feeCents: 1_00,
  reference: null,
  description: null,
  checkoutRequestId: "ws_CO_01012026000000_TEST",
  merchantRequestId: "ws_MR_01012026000000_TEST",
  createdAtMs: nowMs,
  expiresAtMs: nowMs,
  status: "completed",
  transactionCode: "TEST",
  receiptNumber: "TEST",
  resultCode: 0,
  resultDesc: "The service request is processed successfully.",
  completedAtMs: nowMs,
  memo: "",
});
