import { typedPhone } from "../../src/domain/phone.ts";
import { cameMs, clean, isByMomo, isSurelyRead, textIn } from "./call.ts";
import type { Payment, Start } from "./payments.ts";
import type { AuditState, Charge, Reading } from "./rules.ts";
import { findBlindRepeat, findTwin, rememberAttempt } from "./twice.ts";

/**
 * `POST /stkpush.php`: notes each start, and finds customers who can pay twice.
 * @returns whether this explains a refusal
 */
export function auditPush(state: AuditState, reading: Reading): boolean {
  const { call, at } = reading;
  auditHeaders(state, reading);
  const start: Start = {
    requestId: call.id,
    cameMs: cameMs(call, at),
    at,
    status: call.status,
    isRead: isSurelyRead(call),
    isByMomo: isByMomo(call),
  };
  // Also if the connection was closed without the answer: the payment has started.
  const id = textIn(call, "checkout_request_id");
  state.lastRefusal = id === null ? { requestId: call.id, status: call.status } : null;
  // A page of a proxy with 200 says nothing about the payment.
  const isUnknown =
    call.status === null || call.status >= 500 || (call.status < 400 && call.said.success === undefined);
  const charge = id === null && isUnknown ? chargeIn(call) : null;
  if (charge) {
    findBlindRepeat(state, charge, start, call.atMs);
    rememberAttempt(state, { ...charge, requestId: call.id, cameMs: start.cameMs, status: call.status });
  }
  const payment = id === null ? undefined : state.payments.byCheckoutId(id);
  if (!payment) return false;
  payment.start = start;
  state.started(payment);
  const named = state.payments.connect(payment);
  if (named && named.phone !== payment.phone) addReuse(state, named, payment, call.atMs);
  if (!findTwin(state, payment, call.atMs)) findBlindRepeat(state, payment, start, call.atMs);
  return false;
}

/** Whom a push charges; null if its body does not say. */
function chargeIn({ members }: Reading["call"]): Charge | null {
  const { payment_account_id: account, phone, amount, reference } = members ?? {};
  const digits = typedPhone(String(phone));
  if (digits === null || !Number.isFinite(Number(amount))) return null;
  return {
    paymentAccountId: Number(account),
    phone: digits.replace(/^0/, "254"),
    amountCents: Math.round(Number(amount) * 100),
    reference: typeof reference === "string" ? reference : null,
  };
}

/** Headers of other services that make a repeated request harmless. */
const IDEMPOTENCY_HEADERS = ["Idempotency-Key", "X-Idempotency-Key", "Idempotency-Token", "X-Idempotency-Token"];

function auditHeaders(state: AuditState, { call }: Reading): void {
  const name = IDEMPOTENCY_HEADERS.find((header) => call.headers.get(header) !== null);
  if (name === undefined) return;
  const message = `The client sends “${name}”, which the service ignores: a push that is repeated with the same key is a second payment.`;
  state.add({ kind: "idempotency_key", subject: name, requestIds: [call.id], atMs: call.atMs, message });
}

function addReuse(state: AuditState, first: Payment, second: Payment, atMs: number): void {
  const [one, other] = [first.start, second.start];
  if (!one || !other) return;
  state.add({
    kind: "reference_reused",
    subject: `${second.merchantId} ${second.reference}`,
    requestIds: [one.requestId, other.requestId],
    payment: second,
    atMs,
    message: `The payments of ${first.phone} and ${second.phone} have one reference, “${clean(String(second.reference))}”: a search for it finds the payments of all these customers.`,
  });
}
