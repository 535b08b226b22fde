import type { Status, Transaction } from "../../src/domain/transaction.ts";
import type { Moment } from "./call.ts";

/** What the audit knows about a payment. */
export interface Payment {
  readonly number: number;
  readonly checkoutRequestId: string;
  readonly merchantId: number;
  readonly reference: string | null;
  readonly created: Moment;
  /** The request that started it; null if there was none, or if it is not answered yet. */
  start: Start | null;
  end: { readonly status: Status; readonly at: Moment } | null;
  /** Whether an answer with its final status was sent. */
  isFinalTold: boolean;
  /** Whether a list has shown it. */
  isListed: boolean;
  /** How often a client asked for its status, answered or not. */
  asks: number;
  /** When the last of these requests was answered. */
  lastAsk: { readonly requestId: number; readonly at: Moment } | null;
  readonly pollers: Poller[];
  /** Whether the client ended before it read the final status. */
  isLeft: boolean;
}

export interface Start {
  readonly requestId: number;
  /** When the request arrived, in real time. */
  readonly cameMs: number;
  readonly at: Moment;
  /** The connection was closed without an answer. */
  readonly isLost: boolean;
  /** The client has certainly read the answer. */
  readonly isRead: boolean;
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
export const MOST_PAYMENTS = 2000;

/** How many pollers of one payment are distinguished. */
export const MOST_POLLERS = 4;

export type PaymentBook = ReturnType<typeof createPaymentBook>;

/**
 * The newest payments, by number, checkout request id and reference.
 * @param leaving called with a payment before a newer one replaces it
 */
export function createPaymentBook(leaving: (payment: Payment) => void) {
  /** A ring buffer by number: numbers grow, so a new payment replaces the oldest. */
  const ring: (Payment | undefined)[] = [];
  const ids = new Map<string, Payment>();
  /** For each merchant, by reference. */
  const charges = new Map<number, Map<string, Payment>>();

  function remove(payment: Payment): void {
    leaving(payment);
    ids.delete(payment.checkoutRequestId);
    if (!payment.reference) return;
    const charged = charges.get(payment.merchantId);
    if (charged?.get(payment.reference) === payment) charged.delete(payment.reference);
  }

  return {
    add(payment: Payment): void {
      const place = payment.number % MOST_PAYMENTS;
      const oldest = ring[place];
      if (oldest) remove(oldest);
      ring[place] = payment;
      ids.set(payment.checkoutRequestId, payment);
    },
    byNumber(number: number): Payment | undefined {
      const payment = ring[number % MOST_PAYMENTS];
      return payment?.number === number ? payment : undefined;
    },
    byCheckoutId: (id: string): Payment | undefined => ids.get(id),
    /** The previous payment with the same reference. The later of the two is kept. */
    charge(payment: Payment): Payment | null {
      if (!payment.reference) return null;
      let charged = charges.get(payment.merchantId);
      if (!charged) {
        charged = new Map();
        charges.set(payment.merchantId, charged);
      }
      const before = charged.get(payment.reference) ?? null;
      if ((before?.start?.cameMs ?? 0) <= (payment.start?.cameMs ?? 0)) charged.set(payment.reference, payment);
      return before;
    },
    all: (): Iterable<Payment> => ids.values(),
    clear(): void {
      ring.length = 0;
      ids.clear();
      charges.clear();
    },
  };
}

/** A payment that has just started. */
export function newPayment({ id, checkoutRequestId, merchantId, reference }: Transaction, created: Moment): Payment {
  return {
    number: id,
    checkoutRequestId,
    merchantId,
    reference,
    created,
    start: null,
    end: null,
    isFinalTold: false,
    isListed: false,
    asks: 0,
    lastAsk: null,
    pollers: [],
    isLeft: false,
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
