import { type AmountCents, toShillings } from "../../src/domain/money.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { FinalTransaction } from "../../src/domain/transaction.ts";
import { fillTemplate, receiptOf, type Template } from "./template.ts";

/** The request that is POSTed to a webhook. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a delivery stores as its form: with a template, the template itself, so that later settings do not change the message. */
export const storedForm = ({
  form,
  template,
}: {
  readonly form: string;
  readonly template?: Template | undefined;
}): string => (template === undefined ? form : JSON.stringify(template));

/**
 * @param form as {@link storedForm} makes it
 * @param atMs when the payment became final
 */
export function messageOf(form: string, payment: FinalTransaction, atMs: number): WebhookMessage {
  const isNested = form === "payment.updated";
  return {
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "momo (sandbox)",
      ...(isNested && { "X-Webhook-Event": form, "X-Webhook-Source": "momo" }),
    },
    body: JSON.stringify(bodyOf(form, payment, atMs)),
  };
}

function bodyOf(form: string, payment: FinalTransaction, atMs: number): unknown {
  if (form === "payment.updated") return nestedBody(payment, atMs);
  if (form === "flat") return flatBody(payment);
  return fillTemplate(JSON.parse(form) as Template, payment, atMs);
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
      mpesa_receipt: receiptOf(payment),
      reference: payment.reference,
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
    mpesa_receipt: receiptOf(payment),
    reference: payment.reference,
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
  reference: "TEST",
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
