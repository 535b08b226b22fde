import type { Status, Transaction, TransactionFacts } from "../../src/domain/transaction.ts";
import type { Moment } from "./call.ts";

/** What the audit knows about a payment. */
export interface Payment extends TransactionFacts {
  readonly created: Moment;
  /** The request that started it; null if there was none, or if it is not answered yet. */
  start: Start | null;
  end: { readonly status: Status; readonly at: Moment } | null;
  /** When the first answer with its final status was sent, in real time. */
  toldMs: number | null;
  /** Its webhook; null if none was sent. */
  webhook: Webhook | null;
  /** Whether a request has named it in any form, also one that was refused, or a list has shown it. */
  isNamed: boolean;
  /** The one before it of the same phone. */
  before: Payment | null;
  /** The finding that it repeats an earlier payment: its subject and time. */
  repeats: { readonly subject: string; readonly atMs: number } | null;
  /** Whether another payment repeated it while it was pending. */
  isRepeated: boolean;
  /** Whether an earlier payment of another phone has the same reference. */
  sharesReference: boolean;
  /** The last search for another payment that has shown this one. */
  foundBy: Search | null;
  /** The first row of the last search for this payment, if it was another one. */
  rowBefore: Payment | null;
  /** How often a client asked for its status, answered or not. */
  asks: number;
  /** When the last of these requests was answered. */
  lastAsk: { readonly requestId: number; readonly at: Moment } | null;
  readonly pollers: Poller[];
  /** Whether the client ended before it read the final status, and had time to ask. */
  isAbandoned: boolean;
  /** Whether the client ended while it was pending, and had no time to ask, because the clock was moved. */
  isUnjudged: boolean;
}

/** When a client learned the final status, from an answer or from a webhook that it took; null if it has not. */
export const knownMs = ({ toldMs, webhook }: Payment): number | null => toldMs ?? webhook?.takenMs ?? null;

/** What became of the deliveries of a payment. */
export interface Webhook {
  /** When one was answered with 2xx, in real time. */
  readonly takenMs: number | null;
  readonly attempts: number;
  /** What became of the last attempt. */
  readonly last: string;
}

/** A search in the list that has shown other payments. */
export interface Search {
  readonly requestId: number;
  /** Null for a list without a search. */
  readonly text: string | null;
  readonly cameMs: number;
  readonly isFirstRow: boolean;
}

export interface Start {
  readonly requestId: number;
  /** When the request arrived, in real time. */
  readonly cameMs: number;
  readonly at: Moment;
  /** The answer: null if the connection was closed without one. */
  readonly status: number | null;
  /** The client has certainly read the answer. */
  readonly isRead: boolean;
  readonly isByMomo: boolean;
}

/** One of the programs that poll a payment. */
export interface Poller {
  /** Its `User-Agent`. */
  readonly client: string;
  /** When its last poll arrived, by the sandbox clock. */
  lastAtMs: number;
  /** When it was answered. */
  lastAnswered: Moment;
  /** Whether it has certainly read “pending”. */
  hasReadPending: boolean;
  finalRead: { readonly status: string; readonly at: Moment } | null;
  /** Whether one poll that raced with the final answer was already ignored. */
  hasRaced: boolean;
}

/** How many payments are watched. Older ones get no new findings. */
const MOST_PAYMENTS = 2000;

/** How many pollers of one payment are distinguished. */
const MOST_POLLERS = 4;

export type PaymentBook = ReturnType<typeof createPaymentBook>;

/**
 * The newest payments, by number, checkout request id, phone and reference.
 * @param dropping called with a payment before a newer one replaces it
 */
export function createPaymentBook(dropping: (payment: Payment) => void) {
  /** A ring buffer: a new payment replaces the oldest. Numbers need not be without gaps. */
  const ring: Payment[] = [];
  let place = 0;
  const numbers = new Map<number, Payment>();
  const ids = new Map<string, Payment>();
  /** The last payment of each phone. */
  const phones = new Map<string, Payment>();
  /** For each merchant, the last payment with each reference. A joined key costs each push 8 µs more: it is hashed anew. */
  const references = new Map<number, Map<string, Payment>>();
  /** The numbers of the payments that newer ones have replaced. */
  let dropped = { from: Number.POSITIVE_INFINITY, to: 0 };
  /** The ids of payments that were removed with the rest: their clients may still poll. */
  let forgotten: ReadonlySet<string> = new Set();

  function remove(payment: Payment): void {
    dropping(payment);
    dropped = { from: Math.min(dropped.from, payment.id), to: Math.max(dropped.to, payment.id) };
    ids.delete(payment.checkoutRequestId);
    numbers.delete(payment.id);
    // The next payment of this phone holds this one, which must not hold all before it.
    payment.before = null;
    if (phones.get(payment.phone) === payment) phones.delete(payment.phone);
    const named = references.get(payment.merchantId);
    if (payment.reference && named?.get(payment.reference) === payment) named.delete(payment.reference);
  }

  return {
    add(payment: Payment): void {
      const oldest = ring[place];
      if (oldest) remove(oldest);
      ring[place] = payment;
      place = (place + 1) % MOST_PAYMENTS;
      ids.set(payment.checkoutRequestId, payment);
      numbers.set(payment.id, payment);
    },
    byNumber: (number: number): Payment | undefined => numbers.get(number),
    byCheckoutId: (id: string): Payment | undefined => ids.get(id),
    /** Whether a newer payment has replaced this one. */
    wasDropped: (number: number): boolean => dropped.from <= number && number <= dropped.to,
    /** Whether this payment was forgotten with all others. */
    isForgotten: (id: string): boolean => forgotten.has(id),
    /**
     * Connects a payment with the one before it of the same phone.
     * @returns the last payment with its reference, of any phone
     */
    connect(payment: Payment): Payment | null {
      payment.before = phones.get(payment.phone) ?? null;
      phones.set(payment.phone, payment);
      const { merchantId, reference } = payment;
      if (!reference) return null;
      const named = references.get(merchantId) ?? new Map<string, Payment>();
      references.set(merchantId, named);
      const last = named.get(reference) ?? null;
      payment.sharesReference = last !== null && (last.phone !== payment.phone || last.sharesReference);
      named.set(reference, payment);
      return last;
    },
    all: (): Iterable<Payment> => ids.values(),
    clear(): void {
      forgotten = new Set([...forgotten, ...ids.keys()].slice(-MOST_PAYMENTS));
      dropped = { from: Number.POSITIVE_INFINITY, to: 0 };
      ring.length = 0;
      numbers.clear();
      for (const known of [ids, phones, references]) known.clear();
    },
  };
}

/** A payment that has just started. */
export function newPayment(transaction: Transaction, created: Moment): Payment {
  return {
    ...transaction,
    created,
    start: null,
    end: null,
    toldMs: null,
    webhook: null,
    isNamed: false,
    before: null,
    repeats: null,
    isRepeated: false,
    sharesReference: false,
    foundBy: null,
    rowBefore: null,
    asks: 0,
    lastAsk: null,
    pollers: [],
    isAbandoned: false,
    isUnjudged: false,
  };
}

/** The poller of this client. */
export function pollerOf({ pollers }: Payment, client: string): Poller | undefined {
  return pollers.find((poller) => poller.client === client);
}

export function addPoller({ pollers }: Payment, poller: Poller): void {
  if (pollers.length >= MOST_POLLERS) pollers.shift();
  pollers.push(poller);
}
