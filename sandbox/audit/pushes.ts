import { typedPhone } from "../../src/domain/phone.ts";
import type { AnsweredRequest, DelayedRequest, Members } from "../request-log.ts";
import { clean, isByMomo, type Reading, textIn } from "./call.ts";
import type { DatedMistake, Mistake } from "./finding.ts";
import { type Charge, type History, recordLostPush, recordPush, recordRepeat } from "./history.ts";
import { isStarted, type Payment, type Push, type Started } from "./payments.ts";
import { chargesAgain, lostPushBefore, repeatsHeldPush, repeatsLostPush } from "./repeated-pushes.ts";

/** `POST /stkpush.php` */
export function auditPush(history: History, reading: Reading): (Mistake | null)[] {
  const { call } = reading;
  const { payments, lostPushes } = history;
  const id = textIn(call, "checkout_request_id");
  const payment = payments.byCheckoutId(id ?? "") ?? null;
  const sameReference = payment && payments.lastWithReference(payment);
  const push = recordPush(history, reading, payment);
  const again = payment && isStarted(payment) ? chargesAgain(payment) : null;
  const charge = payment ?? (id === null ? unknownChargeIn(call) : null);
  const lost = charge && !again ? lostPushBefore(lostPushes, charge, push) : null;
  if (lost) recordRepeat(history, lost);
  if (charge && !payment) recordLostPush(history, { ...charge, push });
  return [
    sendsIdempotencyKey(reading),
    sameReference && !push.isByMomo ? reusesReference(sameReference, payment, push) : null,
    again ?? (lost && charge && repeatsLostPush(lost, charge, push)),
  ];
}

/** The payments of the order of a push that a fault still delays: its client waits no more, but the push takes effect. */
export function chargesBeside({ path, headers, members, atMs }: DelayedRequest, payments: Started[]): DatedMistake[] {
  const charge = path.endsWith("/stkpush.php") && !isByMomo({ headers }) ? chargeIn(members) : null;
  return charge ? payments.flatMap((payment) => repeatsHeldPush({ ...charge, atMs }, payment) ?? []) : [];
}

/** Whom a push charges that was answered with 5xx or not at all, if its body says so. */
function unknownChargeIn({ status, said, members }: AnsweredRequest): Charge | null {
  // A page of a proxy with 200 says nothing about the payment.
  const isUnknown = status === null || status >= 500 || (status < 400 && said.success === undefined);
  return isUnknown ? chargeIn(members) : null;
}

function chargeIn(members: Members | null): Charge | null {
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

function sendsIdempotencyKey({ call }: Reading): Mistake | null {
  const name = IDEMPOTENCY_HEADERS.find((header) => call.headers.get(header) !== null);
  if (name === undefined) return null;
  const message = `The client sends “${name}”, which the service ignores: a push that is repeated with the same key is a second payment.`;
  return { kind: "idempotency_key", subject: name, message };
}

/** @param first the last payment before it with its reference */
function reusesReference(first: Started, second: Payment, { requestId }: Push): Mistake | null {
  if (first.phone === second.phone) return null;
  return {
    kind: "reference_reused",
    subject: `${second.merchantId} ${second.reference}`,
    requestIds: [first.start.requestId, requestId],
    payment: second,
    message: `The payments of ${first.phone} and ${second.phone} have one reference, “${clean(String(second.reference))}”: a search for it finds the payments of all these customers.`,
  };
}
