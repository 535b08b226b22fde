import { toShillings } from "../../src/domain/money.ts";
import { clean } from "./call.ts";
import type { FindingKind, Severity } from "./kinds.ts";
import { knownMs, type Payment, type Start } from "./payments.ts";
import type { Attempt, AuditState, Charge } from "./rules.ts";

/** A second charge is judged by what its client knew of the first one when it was sent, not by the time between them. */

/** How many earlier payments of the same phone are compared with a new one. */
const MOST_COMPARED = 50;

interface Verdict {
  readonly kind: FindingKind;
  readonly severity: Severity;
}

const VERDICTS = {
  twice: { kind: "charges_twice", severity: "error" },
  perhapsTwice: { kind: "charges_twice", severity: "warning" },
  blindly: { kind: "repeats_blindly", severity: "warning" },
} as const satisfies Record<string, Verdict>;

const RANK: readonly Verdict[] = Object.values(VERDICTS);

interface Started extends Payment {
  readonly start: Start;
}

const isStarted = (payment: Payment): payment is Started => payment.start !== null;

/**
 * Finds an earlier payment that the customer may pay as well: the worst, then one with the same reference, then the last one.
 * @returns whether there is one
 */
export function findTwin(state: AuditState, payment: Payment, atMs: number): boolean {
  if (!isStarted(payment)) return false;
  let worst: { readonly rank: number; readonly verdict: Verdict; readonly pair: [Started, Started] } | null = null;
  let before = payment.before;
  for (let compared = 0; before && compared < MOST_COMPARED; compared += 1) {
    const pair = isStarted(before) && isAlike(before, payment) ? inOrder(before, payment) : null;
    const verdict = pair && verdictOf(...pair);
    if (pair && verdict) {
      const rank = 2 * RANK.indexOf(verdict) + (before.reference === payment.reference ? 0 : 1);
      if (!worst || rank < worst.rank) worst = { rank, verdict, pair };
      if (rank === 0) break;
    }
    before = before.before;
  }
  if (worst) addTwins(state, worst.verdict, ...worst.pair, atMs);
  return worst !== null;
}

/** A slow push may be answered after a later one. */
const inOrder = (one: Started, other: Started): [Started, Started] =>
  one.start.cameMs <= other.start.cameMs ? [one, other] : [other, one];

/** An empty reference counts as no reference. */
const referenceOf = ({ reference }: Charge): string | null => reference || null;

const hasOtherReference = (one: Charge, other: Charge): boolean => {
  const [first, second] = [referenceOf(one), referenceOf(other)];
  return first !== null && second !== null && first !== second;
};

const hasSameReference = (one: Payment, other: Payment): boolean =>
  one.merchantId === other.merchantId && referenceOf(one) !== null && one.reference === other.reference;

const isSameCharge = (one: Charge, other: Charge): boolean =>
  one.paymentAccountId === other.paymentAccountId && one.phone === other.phone && one.amountCents === other.amountCents;

/** What momo's own commands start is not an order of the client. */
const isAlike = (one: Started, other: Started): boolean =>
  one.start.isByMomo === other.start.isByMomo && (isSameCharge(one, other) || hasSameReference(one, other));

function verdictOf(first: Started, second: Started): Verdict | null {
  const cameMs = second.start.cameMs;
  const isOther = hasOtherReference(first, second);
  if (hasSeenEnd(first, cameMs)) {
    const isPaidAgain = first.end?.status === "completed" && hasSameReference(first, second);
    return isPaidAgain && !second.sharesReference ? VERDICTS.perhapsTwice : null;
  }
  if (isUnpaid(first)) return isOther ? null : VERDICTS.blindly;
  return isOther ? VERDICTS.perhapsTwice : VERDICTS.twice;
}

const isUnpaid = ({ end }: Payment): boolean => end !== null && end.status !== "completed";

const hasSeenEnd = (payment: Payment, byMs: number): boolean => (knownMs(payment) ?? Number.POSITIVE_INFINITY) <= byMs;

function addTwins(state: AuditState, verdict: Verdict, first: Started, second: Started, atMs: number): void {
  const [start, next] = [first.start, second.start];
  const isOther = hasOtherReference(first, second);
  const orders = isOther ? "other order" : "same order";
  const what = hasSameReference(first, second) ? first.reference : `${first.amountCents} ${orders}`;
  const subject = `${first.paymentAccountId} ${first.phone} ${what}`;
  second.repeats = { subject, atMs };
  first.isRepeated ||= first.end === null;
  state.add({
    ...verdict,
    subject,
    requestIds: [start.requestId, next.requestId],
    payment: second,
    atMs,
    message: `${chargedAgain(first, second)} ${whyTwice(state, first, second)}${
      isOther ? " If both are for one order, the customer can pay it twice." : ""
    }`,
  });
}

/** A payment has ended. If it ended unpaid, the customer was not charged twice for it: judges the pushes that repeated it again. */
export function reviseTwins(state: AuditState, ended: Payment): void {
  if (!ended.isRepeated || !isUnpaid(ended)) return;
  ended.isRepeated = false;
  const again = [...state.payments.all()].flatMap((payment) =>
    payment.repeats && payment.phone === ended.phone ? [{ payment, ...payment.repeats }] : [],
  );
  const withdrawn = new Set(again.map(({ subject }) => subject).filter((one) => state.withdraw("charges_twice", one)));
  for (const { payment, subject, atMs } of again) if (withdrawn.has(subject)) findTwin(state, payment, atMs);
}

function chargedAgain(first: Charge, second: Charge): string {
  const [one, other] = [first, second].map((charge) => referenceOf(charge) && clean(String(charge.reference)));
  const customer = `${second.phone} is asked for KES ${toShillings(second.amountCents)} a second time`;
  if (one === other) return one === null ? `${customer}, without a reference.` : `“${one}” is charged a second time.`;
  const named = (text: string | null | undefined) => (text ? `“${text}”` : "none");
  return `${customer}, with another reference (first ${named(one)}, then ${named(other)}).`;
}

function whyTwice(state: AuditState, first: Started, { start: next }: Started): string {
  if (hasSeenEnd(first, next.cameMs)) {
    return "The client had learned that the first payment is completed: an order that is paid is charged again.";
  }
  const { start, end } = first;
  if (end && isUnpaid(first) && end.at.realMs > next.cameMs) {
    return `The first payment was still pending; it is ${end.status} now: this time nothing happened.`;
  }
  const hasEnded = end !== null && end.at.realMs <= next.cameMs;
  const now = hasEnded ? `its status was ${end.status} by then` : "the customer may pay both";
  if (!start.isRead) return `${whatCame(start, true)}, ${whatLookShowed(state, first, start, next)}: ${now}.`;
  if (!hasEnded) return `The first payment is still pending: ${now}.`;
  const asked =
    first.asks > 0 ? "gave up asking before the first payment ended" : "had not asked for the first payment";
  return `The client ${asked}: ${now}.`;
}

function whatCame({ status }: Pick<Start, "status">, isStored: boolean): string {
  if (status === null) return "The answer to the first request was lost";
  return `The first request was answered ${isStored && status === 200 ? "late" : `with HTTP ${status}`}`;
}

/** What the last look at the list between two pushes has shown of the first one. */
function whatLookShowed(
  { looks }: AuditState,
  first: Pick<Payment, "id" | "created" | "reference"> | null,
  start: Pick<Start, "cameMs" | "isByMomo">,
  next: Pick<Start, "cameMs">,
): string {
  const last = looks.findLast(
    ({ cameMs, answeredMs, isByMomo }) =>
      isByMomo === start.isByMomo && cameMs >= start.cameMs && answeredMs <= next.cameMs,
  );
  if (!last) return "and the client did not search for its payment";
  const { refusal, search, shown, answeredMs } = last;
  if (refusal !== null)
    return `and the search for its payment was refused (${refusal}), which does not mean that there is none`;
  if (first === null) return "and a search that finds nothing does not mean that nothing comes later";
  if (shown.has(first.id)) return "and the list showed its payment as pending";
  if (answeredMs <= first.created.realMs) return "and the client searched too early, before its payment was there";
  const isEncoded = first.reference === null || encodeURIComponent(first.reference) === first.reference;
  const what = search === null ? "the list" : `the search for “${clean(search)}”`;
  return `and ${what} did not show its payment${isEncoded ? "" : " (in an address, a reference needs encodeURIComponent)"}`;
}

/**
 * Finds a push that repeats one which was answered with 5xx or not at all. That one started no payment, but its client cannot know.
 * @param start of the second push
 */
export function findBlindRepeat(
  state: AuditState,
  charge: Charge,
  start: Pick<Start, "cameMs" | "requestId" | "isByMomo">,
  atMs: number,
): void {
  const place = state.attempts.findLastIndex(
    (attempt) => isSameCharge(attempt, charge) && attempt.cameMs <= start.cameMs && !hasOtherReference(attempt, charge),
  );
  const [first] = place < 0 ? [] : state.attempts.splice(place, 1);
  if (!first) return;
  const look = whatLookShowed(state, null, { ...first, isByMomo: start.isByMomo }, start);
  state.add({
    kind: "repeats_blindly",
    subject: `${charge.paymentAccountId} ${charge.phone} ${charge.amountCents}`,
    requestIds: [first.requestId, start.requestId],
    atMs,
    message: `${chargedAgain(first, charge)} ${whatCame(first, false)}, ${look}. This time no payment was stored.`,
  });
}

/** How many pushes that started no payment are remembered. */
const MOST_ATTEMPTS = 100;

export function rememberAttempt({ attempts }: AuditState, attempt: Attempt): void {
  if (attempts.length >= MOST_ATTEMPTS) attempts.shift();
  attempts.push(attempt);
}
