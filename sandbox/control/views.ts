import { type Delivery, type DeliveryAttempt, stateOf } from "../../src/domain/delivery.ts";
import { toShillings } from "../../src/domain/money.ts";
import { REDACTED, redact } from "../../src/domain/redact.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { CompletedTransaction, Transaction } from "../../src/domain/transaction.ts";
import { headerText } from "../../src/http/request.ts";
import { itemView } from "../../src/http/view.ts";
import { receiptSms } from "../network/sms.ts";
import { type LoggedRequest, OWN_HEADER } from "../request-log.ts";
import { messageOf, type WebhookMessage } from "../webhooks/message.ts";
import type { MessageOnWire, OwnedTransaction, PromptOnWire } from "./shapes/payments.ts";
import type { LoggedCall } from "./shapes/requests.ts";
import type { AttemptOnWire, DeliveryOnWire } from "./shapes/webhook.ts";

/** The JSON of records, for several calls and the events. */

export const transactionView = (transaction: Transaction): OwnedTransaction => ({
  merchant_id: transaction.merchantId,
  reference: transaction.reference,
  ...itemView(transaction),
});

/** @param business the merchant's name */
export function promptView(prompt: Transaction, business: string): PromptOnWire {
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

/** The text message that a customer gets; null unless the payment is completed. */
export const smsOf = (payment: Transaction, business: string): string | null =>
  payment.status === "completed" ? receiptSms(payment, business) : null;

/**
 * The text message that a customer gets for a payment.
 * @param business the merchant's name
 */
export function messageView(payment: CompletedTransaction, business: string): MessageOnWire {
  return {
    phone: payment.phone,
    text: receiptSms(payment, business),
    at: formatTimestamp(payment.completedAtMs),
    at_ms: payment.completedAtMs,
    checkout_request_id: payment.checkoutRequestId,
  };
}

/** Headers that are secret as a whole. */
const SECRET_HEADERS = new Set(["x-api-secret", "authorization", "proxy-authorization", "cookie", OWN_HEADER]);

/** A logged request. Secrets are removed, wherever the client put them. */
export function requestView(request: LoggedRequest): LoggedCall {
  return {
    id: request.id,
    at: formatTimestamp(request.atMs),
    at_ms: request.atMs,
    duration_ms: Math.round(request.durationMs * 1000) / 1000,
    method: request.method,
    target: redact(request.target),
    headers: Object.fromEntries(
      [...request.headers].map(([name, value]) => [
        name,
        SECRET_HEADERS.has(name) ? REDACTED : redact(headerText(value)),
      ]),
    ),
    body: request.body === null ? null : redact(request.body),
    body_cut_bytes: request.bodyCutBytes,
    checkout_request_id: request.checkoutRequestId && redact(request.checkoutRequestId),
    status: request.status,
    delivered: request.isDelivered,
    answer: request.status === null || request.answer === null ? null : parsed(redact(request.answer)),
    answer_cut_bytes: request.status === null ? 0 : request.answerCutBytes,
    fault: request.fault,
    leniencies: request.leniencies,
    lenient_takes: request.isTakenLeniently,
  };
}

/** A cut answer is no longer JSON, so it stays text. */
function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}

export function deliveryView(delivery: Delivery): DeliveryOnWire {
  const { id, payment, form, endedAtMs, attempts, resendOf } = delivery;
  const dueAtMs = delivery.dueAtMs ?? attempts.at(-1)?.atMs ?? endedAtMs;
  return {
    id,
    checkout_request_id: payment.checkoutRequestId,
    state: stateOf(delivery),
    ...(resendOf !== null && { resend_of: resendOf }),
    due_at: formatTimestamp(dueAtMs),
    due_at_ms: dueAtMs,
    attempts: attempts.map(attemptView),
    ...webhookMessageView(messageOf(form, payment, endedAtMs)),
  };
}

export const attemptView = ({ atMs, durationMs, status, answer, problem }: DeliveryAttempt): AttemptOnWire => ({
  at: formatTimestamp(atMs),
  at_ms: atMs,
  duration_ms: durationMs,
  status,
  answer: answer && redact(answer),
  problem,
});

export const webhookMessageView = ({ headers, body }: WebhookMessage) => ({
  headers,
  body: JSON.parse(body) as Record<string, unknown>,
});
