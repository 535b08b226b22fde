import { counted } from "../../../src/domain/counted.ts";
import type { Facts } from "../facts/facts.ts";
import type { Payment } from "../facts/payment.ts";
import { type Occasion, paymentRule, type Verdict } from "../rule.ts";
import type { Severity } from "../severity.ts";
import { HOW_TO_LOOK, inSeconds } from "../words.ts";

/** How long after its end the client of a server that goes on may still learn of it. */
const LEARNS_WITHIN_MS = 30_000;

export const endNotLearned = paymentRule({
  kind: "end_not_learned",
  severity: "error",
  section: "§4.4",
  label: "does not learn the end",
  advice:
    "Ask POST /status.php every 3 to 5 s until the status is final, for up to two minutes; then the order is unknown, and a later run asks again. Only the status “completed” is paid: “success” says that the question was answered. A test that must end early answers the prompt first, and then asks for the status.",
  judges: "payments",
  judge(payment, { nowMs, isOver }) {
    const { push, end, learned } = payment;
    if (push === null || learned !== null) return null;
    if (end === null) return isOver ? verdictOf("note", payment) : null;
    if (!isOver && nowMs - end.atMs < LEARNS_WITHIN_MS) return null;
    if (payment.isToldByWebhook) return verdictOf("note", payment);
    return verdictOf(end.status === "completed" ? "error" : "warning", payment);
  },
  explain(payment, _verdict, occasion, facts) {
    const { push, end, lastLookId, looks } = payment;
    const status = end === null ? "pending" : end.status;
    const isLost = push?.isDelivered === false && !payment.isToldByWebhook;
    const isTold = end !== null && payment.isToldByWebhook;
    const what = isTold
      ? `${status}, and only a webhook told it: ${PROVES_NOTHING}`
      : `${status}${MEANING[status] ?? ""}`;
    return {
      message: `The payment is ${what}. ${whatItDid(payment, facts)}${isTold ? "" : whatWebhooksDid(payment, occasion)}.`,
      ...(isLost && { advice: HOW_TO_LOOK }),
      ...(isTold && { advice: BEFORE_BOOKING }),
      requestIds: [push?.requestId ?? 0, ...(looks > 0 ? [lastLookId] : [])],
      payment,
      atMs: push?.atMs ?? 0,
    };
  },
});

/** Findings are equal if the payments ended alike, and their clients and their webhooks did the same. */
const verdictOf = (severity: Severity, payment: Payment): Verdict => ({
  severity,
  group: `${payment.end?.status} ${payment.isToldByWebhook ? "told" : didOf(payment)} ${isWebhookSent(payment)}`,
});

const isWebhookSent = ({ deliveries }: Payment): boolean => deliveries !== null && deliveries.attempts > 0;

const PROVES_NOTHING = "its answer with 2xx does not prove that the order was booked, and anybody can send a webhook";

const BEFORE_BOOKING =
  "When a webhook comes, ask POST /status.php with the checkout_request_id of your order, and book what that answers, never what the webhook says.";

const MEANING: Readonly<Record<string, string>> = {
  completed: ": the customer has paid, and the shop does not know",
  pending: ": the customer can still pay, and the shop would not know",
};

type Did = "not answered" | "refused" | "never asked" | "no status" | "pending";

function didOf({ push, looks, isNamed, isLastLookDelivered }: Payment): Did {
  if (looks > 0) return isLastLookDelivered ? "pending" : "no status";
  if (push?.isDelivered === false) return "not answered";
  return isNamed ? "refused" : "never asked";
}

function whatItDid(payment: Payment, { lists }: Facts): string {
  const { push, looks, lastLookMs } = payment;
  const times = looks === 1 ? "once" : `${looks} times, the last`;
  const asked = `The client asked ${times} ${inSeconds(lastLookMs - (push?.atMs ?? 0))} after the push`;
  switch (didOf(payment)) {
    case "not answered": {
      const hasListed = push !== null && lists.some(({ arrived }) => arrived > push.arrived);
      const look = hasListed ? "no list that it read has shown the payment" : "it did not look for the payment";
      return `The client did not get the answer to its push, and ${look}`;
    }
    case "refused":
      return "The client asked for its status only in a form that was refused";
    case "never asked":
      return "The client never asked for its status";
    case "no status":
      return `${asked}, and got no status`;
    case "pending":
      return `${asked}, when it was pending`;
  }
}

function whatWebhooksDid({ deliveries, end }: Payment, { hasWebhook }: Occasion): string {
  if (deliveries?.takenOrder != null) return `; a webhook was taken, but ${PROVES_NOTHING}`;
  if (deliveries && deliveries.attempts > 0) {
    return `; nobody took its webhook (${counted(deliveries.attempts, "attempt")}, the last: ${deliveries.last})`;
  }
  return hasWebhook && end ? "; no webhook was sent" : "";
}
