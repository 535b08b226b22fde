import { keepLast } from "../../src/domain/keep-last.ts";
import type { Status, Transaction, TransactionFacts } from "../../src/domain/transaction.ts";
import type { Moment } from "./call.ts";

/** What happened to a payment, and what its client learned of it. It is recorded by `history.ts`. */
export interface Payment extends TransactionFacts {
  readonly created: Moment;
  /** The push that started it; null if there was none, or if it is not answered yet. */
  start: Start | null;
  end: End | null;
  /** When the client ended, if the payment was pending then. */
  leftAt: Moment | null;
  /** What became of its deliveries; null if none is due. */
  webhook: Webhook | null;
  readonly seen: Sightings;
}

export interface Started extends Payment {
  start: Start;
}

export interface Push {
  readonly requestId: number;
  /** When it arrived, by the sandbox's clock and in real time. */
  readonly atMs: number;
  readonly arrivedMs: number;
  readonly answered: Moment;
  /** Of the answer: null if the connection was closed without one. */
  readonly status: number | null;
  /** The client has certainly read the answer. */
  readonly isRead: boolean;
  readonly isByMomo: boolean;
  /** The last list that the client had read before. */
  readonly lastList: ListRequest | null;
}

export interface Start extends Push {
  /** Earlier payments of the same phone, the newest first. */
  readonly earlier: readonly Started[];
  /** Whether an earlier payment of the client, of another phone, has its reference. */
  readonly isReferenceShared: boolean;
}

/** A request for the list. */
export interface ListRequest {
  readonly requestId: number;
  /** In real time. */
  readonly arrivedMs: number;
  readonly answeredMs: number;
  readonly search: string | null;
  /** The payments in the answer, by number. */
  readonly shown: readonly number[];
  /** Why there was no answer with 200. */
  readonly refusal: string | null;
  readonly isByMomo: boolean;
}

export interface End {
  readonly status: Status;
  readonly at: Moment;
}

export interface Webhook {
  /** When a delivery was answered with 2xx, in real time. */
  readonly takenMs: number | null;
  readonly attempts: number;
  /** What became of the last attempt. */
  readonly last: string;
}

/** What requests show that a client knows of a payment. */
export interface Sightings {
  /** A request named it in any form, also one that was refused, or a list showed it. */
  isNamed: boolean;
  /** When an answer first showed its final status, in real time. */
  finalMs: number | null;
  /** The requests for its status, answered or not: polls, and lists that were searched for it. */
  asked: Asked | null;
  /** The lists that showed it. */
  listed: Asked | null;
  /** The programs that poll it. */
  readonly pollers: Poller[];
  /** The last list that was requested for another payment and showed this one, if no poll came since. */
  inListForOther: { readonly list: ListRequest; readonly isFirstRow: boolean } | null;
  /** The payment above it in the last list that was searched for it, if no poll came since. */
  rowAbove: Payment | null;
}

export interface Asked {
  readonly count: number;
  /** When the first was answered, in real time. */
  readonly firstMs: number;
  /** `isRead`: the client has certainly read the answer. */
  readonly last: { readonly requestId: number; readonly answered: Moment; readonly isRead: boolean };
}

export interface Poller {
  /** Its `User-Agent`. */
  readonly client: string;
  readonly lastPoll: { readonly atMs: number; readonly answered: Moment; readonly hasReadPending: boolean };
  /** The first final status that it has certainly read. */
  readonly finalRead: { readonly status: string; readonly at: Moment } | null;
  /** A poll was sent before the final answer arrived. */
  readonly hasRaced: boolean;
}

/** A payment that has just started. */
export const newPayment = (transaction: Transaction, created: Moment): Payment => ({
  ...transaction,
  created,
  start: null,
  end: null,
  leftAt: null,
  webhook: null,
  seen: { isNamed: false, finalMs: null, asked: null, listed: null, pollers: [], inListForOther: null, rowAbove: null },
});

export const isStarted = (payment: Payment): payment is Started => payment.start !== null;

/** When a client learned the final status, from an answer or from a webhook that it took. */
export const learnedEndMs = ({ seen, webhook }: Payment): number =>
  Math.min(seen.finalMs ?? Number.POSITIVE_INFINITY, webhook?.takenMs ?? Number.POSITIVE_INFINITY);

/** How many payments are watched. Older ones get no new findings. */
const MOST_PAYMENTS = 2000;

/** How many earlier payments of the same phone are compared with a new one. */
const MOST_COMPARED = 50;

export type PaymentBook = ReturnType<typeof createPaymentBook>;

/**
 * The newest payments, by number, checkout request id, phone and reference.
 * @param dropping called with a payment before a newer one replaces it
 */
export function createPaymentBook(dropping: (payment: Payment) => void) {
  /** Oldest first. Numbers need not be without gaps. */
  const kept: Payment[] = [];
  const numbers = new Map<number, Payment>();
  const ids = new Map<string, Payment>();
  /** The last payments of each phone, the newest first. */
  const phones = new Map<string, readonly Started[]>();
  /** For each merchant, the last payment of the client with each reference. A joined key costs each push 8 µs more: it is hashed anew. */
  const references = new Map<number, Map<string, Started>>();
  /** The numbers of the payments that newer ones have replaced. */
  let dropped = { from: Number.POSITIVE_INFINITY, to: 0 };

  function remove(payment: Payment): void {
    dropping(payment);
    dropped = { from: Math.min(dropped.from, payment.id), to: Math.max(dropped.to, payment.id) };
    ids.delete(payment.checkoutRequestId);
    numbers.delete(payment.id);
    if (!isStarted(payment)) return;
    // Newer payments hold this one, which must not hold all before it.
    payment.start = { ...payment.start, earlier: [] };
    const others = phones.get(payment.phone)?.filter((other) => other !== payment) ?? [];
    if (others.length === 0) phones.delete(payment.phone);
    else phones.set(payment.phone, others);
    const byReference = references.get(payment.merchantId);
    if (payment.reference && byReference?.get(payment.reference) === payment) byReference.delete(payment.reference);
  }

  return {
    add(payment: Payment): void {
      const oldest = keepLast(kept, payment, MOST_PAYMENTS);
      if (oldest) remove(oldest);
      ids.set(payment.checkoutRequestId, payment);
      numbers.set(payment.id, payment);
    },
    byNumber: (number: number): Payment | undefined => numbers.get(number),
    byCheckoutId: (id: string): Payment | undefined => ids.get(id),
    /** Whether a newer payment has replaced this one. */
    wasDropped: (number: number): boolean => dropped.from <= number && number <= dropped.to && !numbers.has(number),
    /** The last payments of its phone, the newest first. */
    lastOfPhone: ({ phone }: Payment): readonly Started[] => phones.get(phone) ?? [],
    /** The last payment of the client with its reference, of any phone. */
    lastWithReference: ({ merchantId, reference }: Payment): Started | null =>
      (reference && references.get(merchantId)?.get(reference)) || null,
    /** A push has started this payment. */
    addStarted(payment: Started): void {
      const { phone, merchantId, reference } = payment;
      phones.set(phone, [payment, ...payment.start.earlier].slice(0, MOST_COMPARED));
      if (!reference || payment.start.isByMomo) return;
      const byReference = references.get(merchantId) ?? new Map<string, Started>();
      references.set(merchantId, byReference.set(reference, payment));
    },
    all: (): Iterable<Payment> => ids.values(),
  };
}
