import type { Delivery } from "../../src/domain/delivery.ts";
import { keepLast } from "../../src/domain/keep-last.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { AnsweredRequest } from "../request-log.ts";
import { clean, isByMomo, isSurelyRead, type Moment, messageOf, type Reading, rowsIn, textIn } from "./call.ts";
import { type Mention, mentionsIn } from "./mentions.ts";
import {
  type Asked,
  createPaymentBook,
  isStarted,
  type ListRequest,
  newPayment,
  type Payment,
  type PaymentBook,
  type Poller,
  type Push,
} from "./payments.ts";

/** What happened, as far as findings depend on it. It is recorded here, and judged elsewhere. */
export interface History {
  readonly payments: PaymentBook;
  /** The ids of the payments before a reset or a restore: their clients may still poll. */
  readonly forgotten: ReadonlySet<string>;
  /** The client's last push, if it was refused. */
  refusedPush: Push | null;
  /** The last pushes that started no payment, although their client cannot know that. */
  readonly lostPushes: LostPush[];
  /** The last requests for the list. */
  readonly lists: ListRequest[];
  /** When the client ended. */
  endedAt: Moment | null;
}

/** Whom a push charges, and for what. */
export interface Charge {
  readonly paymentAccountId: number;
  readonly phone: string;
  readonly amountCents: number;
  readonly reference: string | null;
}

/** A push that was answered with 5xx or not at all, and started no payment. */
export interface LostPush extends Charge {
  readonly push: Push;
}

/** The polling pattern of §4.4: how long a client polls, and how many polls that are at the longest interval. */
export const PATTERN_MS = 120_000;
export const PATTERN_POLLS = 24;

/** A client that lost an answer looks soon after: older requests do not matter. */
const MOST_LISTS = 16;

const MOST_LOST_PUSHES = 100;

/** How many pollers of one payment are distinguished. */
const MOST_POLLERS = 4;

/** A poll this soon after the last answer was sent before that answer arrived. */
const RACE_MS = 50;

/** How many ids of the chapters before are remembered. */
const MOST_FORGOTTEN = 2000;

/**
 * @param forgotten the ids of the payments before a reset, the newest last
 * @param dropping called with a payment before a newer one replaces it
 */
export const createHistory = (forgotten: readonly string[], dropping: (payment: Payment) => void): History => ({
  payments: createPaymentBook(dropping),
  forgotten: new Set(forgotten.slice(-MOST_FORGOTTEN)),
  refusedPush: null,
  lostPushes: [],
  lists: [],
  endedAt: null,
});

/**
 * A transaction has just started or ended.
 * @param hasWebhook whether a webhook is due for each payment that ends
 */
export function recordChange(
  { payments }: History,
  transaction: Transaction,
  at: Moment,
  hasWebhook: boolean,
): Payment | undefined {
  const { id, status } = transaction;
  const payment = payments.byNumber(id);
  if (payment && status !== "pending") {
    payment.end = { status, at };
    if (hasWebhook) payment.webhook = { takenMs: null, attempts: 0, last: "" };
  }
  if (!payment && status === "pending") payments.add(newPayment(transaction, at));
  return payment;
}

export function recordClientEnd(history: History, at: Moment): void {
  history.endedAt = at;
  for (const payment of history.payments.all()) if (!payment.end) payment.leftAt = at;
}

/** An attempt to deliver the webhook of a payment. */
export function recordDelivery({ payments }: History, { payment: { id }, attempts }: Delivery, at: Moment): void {
  const payment = payments.byNumber(id);
  const attempt = attempts.at(-1);
  if (!payment || !attempt) return;
  const { status, problem } = attempt;
  payment.webhook = {
    takenMs: payment.webhook?.takenMs ?? (problem === null ? at.realMs : null),
    attempts: (payment.webhook?.attempts ?? 0) + 1,
    last: [status && `HTTP ${status}`, problem].filter(Boolean).join(", "),
  };
}

/** @param payment what it has started, also if the client did not get the answer */
export function recordPush(history: History, { call, at, arrivedMs }: Reading, payment: Payment | null): Push {
  const isFromMomo = isByMomo(call);
  const push: Push = {
    requestId: call.id,
    atMs: call.atMs,
    arrivedMs,
    answered: at,
    status: call.status,
    isRead: isSurelyRead(call),
    isByMomo: isFromMomo,
    lastList: history.lists.findLast((list) => list.isByMomo === isFromMomo && list.answeredMs <= arrivedMs) ?? null,
  };
  if (!isFromMomo) history.refusedPush = textIn(call, "checkout_request_id") === null ? push : null;
  if (payment) recordStart(history, payment, push);
  return push;
}

function recordStart({ payments }: History, payment: Payment, push: Push): void {
  const last = payments.lastWithReference(payment);
  payment.start = {
    ...push,
    earlier: payments.lastOfPhone(payment),
    isReferenceShared: last !== null && (last.phone !== payment.phone || last.start.isReferenceShared),
  };
  if (isStarted(payment)) payments.addStarted(payment);
}

/** A lost push was repeated: a third push repeats the second. */
export function recordRepeat({ lostPushes }: History, lost: LostPush): void {
  lostPushes.splice(lostPushes.indexOf(lost), 1);
}

export const recordLostPush = ({ lostPushes }: History, lost: LostPush): void =>
  void keepLast(lostPushes, lost, MOST_LOST_PUSHES);

/** The payment that an answered poll is about. What momo's own command shows tells the client nothing, unless it has started the payment. */
export function polledPayment({ payments }: History, { call }: Reading): Payment | null {
  const payment = payments.byCheckoutId(call.checkoutRequestId ?? "");
  return payment && isForClient(payment, call) ? payment : null;
}

const isForClient = ({ start }: Payment, call: AnsweredRequest): boolean => !isByMomo(call) || start?.isByMomo === true;

export const pollerIn = ({ pollers }: Payment["seen"], call: AnsweredRequest): Poller | undefined =>
  pollers.find(({ client }) => client === clientOf(call));

const clientOf = ({ headers }: AnsweredRequest): string => headers.get("User-Agent") ?? "";

/** The final status in the answer to a poll. */
function finalStatusIn(call: AnsweredRequest): string | null {
  const status = call.status === 200 ? textIn(call, "status") : null;
  return status === "pending" ? null : status;
}

/** Whether a poll was perhaps sent before the final answer arrived. */
export const isRace = ({ finalRead }: Poller, { arrivedMs }: Reading): boolean =>
  finalRead !== null && arrivedMs - finalRead.at.realMs < RACE_MS;

export function recordPoll({ seen }: Payment, reading: Reading): void {
  const { call, at } = reading;
  const status = finalStatusIn(call);
  seen.asked = askedAgain(seen.asked, reading);
  if (status !== null) seen.finalMs ??= at.realMs;
  seen.inListForOther = seen.rowAbove = null;
  const isRead = isSurelyRead(call);
  const before = pollerIn(seen, call);
  const poller = {
    client: clientOf(call),
    lastPoll: { atMs: call.atMs, answered: at, hasReadPending: isRead && status === null },
    finalRead: before?.finalRead ?? (isRead && status !== null ? { status, at } : null),
    hasRaced: before !== undefined && (before.hasRaced || isRace(before, reading)),
  };
  if (before) seen.pollers[seen.pollers.indexOf(before)] = poller;
  else keepLast(seen.pollers, poller, MOST_POLLERS);
}

function askedAgain(before: Asked | null, { call, at }: Reading): Asked {
  const { count, firstMs } = before ?? { count: 0, firstMs: at.realMs };
  return { count: count + 1, firstMs, last: { requestId: call.id, answered: at, isRead: isSurelyRead(call) } };
}

/** @param isForOne whether the list was requested for one payment */
export function recordList(history: History, reading: Reading, search: string | null, isForOne: boolean): void {
  const { call, at, arrivedMs } = reading;
  const rows = rowsIn(call);
  const list: ListRequest = {
    requestId: call.id,
    arrivedMs,
    answeredMs: at.realMs,
    search,
    shown: rows.map(({ id }) => id),
    refusal: refusalIn(call),
    isByMomo: isByMomo(call),
  };
  keepLast(history.lists, list, MOST_LISTS);
  // A slow list is answered after a later one.
  history.lists.sort((one, other) => one.arrivedMs - other.arrivedMs);
  const lost = isForOne ? null : lastLostPayment(history);
  const shown: Payment[] = [];
  for (const { id, status } of rows) {
    const payment = history.payments.byNumber(id);
    if (!payment || !isForClient(payment, call)) continue;
    shown.push(payment);
    const { seen } = payment;
    seen.isNamed = true;
    seen.listed = askedAgain(seen.listed, reading);
    if (status !== "pending") seen.finalMs ??= at.realMs;
    if (isForOne && (payment.start?.isRead || isReferenceOf(payment, search)))
      seen.asked = askedAgain(seen.asked, reading);
  }
  const [first] = shown;
  if (search !== null) recordSearch(history, list, search, shown);
  else if (lost && first && first !== lost) first.seen.inListForOther = { list, isFirstRow: true };
}

/** The last payment that its client knows nothing of. */
const lastLostPayment = ({ payments }: History): Payment | null =>
  [...payments.all()].findLast(
    ({ start, seen }) => start && !start.isRead && !start.isByMomo && seen.finalMs === null,
  ) ?? null;

/** Records what a search for the reference of a payment has shown of others. */
function recordSearch({ payments, lostPushes }: History, list: ListRequest, search: string, shown: Payment[]): void {
  const isWanted = (charge: Pick<Charge, "reference">) => isReferenceOf(charge, search);
  const wanted = shown.find(isWanted);
  if (wanted) {
    wanted.seen.inListForOther = null;
    wanted.seen.rowAbove = shown[0] === wanted || wanted.start?.isRead ? null : (shown[0] ?? null);
  }
  const others = shown.filter((payment) => !isWanted(payment));
  if (others.length === 0) return;
  if (!wanted && !lostPushes.some(isWanted) && ![...payments.all()].some(isWanted)) return;
  for (const other of others) other.seen.inListForOther = { list, isFirstRow: other === shown[0] };
}

function refusalIn(call: AnsweredRequest): string | null {
  if (call.status === 200) return null;
  return call.status === null ? "its answer was lost" : `${call.status} “${clean(messageOf(call))}”`;
}

/** Letters of any case are the same for a search. */
const isReferenceOf = ({ reference }: Pick<Charge, "reference">, search: string | null): boolean =>
  search !== null && reference?.toLowerCase() === search.toLowerCase();

/**
 * A request asks for payments in any form, in its body, its query or its path.
 * @returns the first of them
 */
export function recordMentions({ payments }: History, reading: Reading): Mention | null {
  const mentions = mentionsIn(payments, reading).filter(({ payment }) => isForClient(payment, reading.call));
  for (const { payment } of mentions) payment.seen.isNamed = true;
  return mentions.find(({ isWhole }) => isWhole) ?? null;
}
