import type { Status, TransactionFacts, TransactionIdentifiers } from "../../../src/domain/transaction.ts";

/** An event: when it was, by the sandbox's clock, and its place in the order of all events, which the clock may not tell. */
export interface Instant {
  readonly atMs: number;
  readonly order: number;
  /** Time that a person waits, which goes on while the sandbox's clock stands still. */
  readonly realMs: number;
}

/** Whom a push charges, and for what. */
export interface Charge {
  readonly paymentAccountId: number;
  readonly phone: string;
  readonly amountCents: number;
  readonly reference: string | null;
}

/** A push that started a payment, or whose client cannot know that it started none. */
export interface Push {
  readonly requestId: number;
  readonly charge: Charge;
  /** Its reference, without what the client to copy adds to it. */
  readonly order: string | null;
  /** When it arrived, by the sandbox's clock. */
  readonly atMs: number;
  /** The places of its arrival and its answer in the order of all events. */
  readonly arrived: number;
  readonly answered: number;
  /** Of the answer: null if the connection was closed without one. */
  readonly status: number | null;
  /** The client got the answer with the id. */
  readonly isDelivered: boolean;
  /** Null if it started none. */
  readonly payment: Payment | null;
  /** Earlier pushes for the same phone, the newest first. */
  earlier: readonly Push[];
  /** The last push with its reference, for another phone. */
  otherPhone: Push | null;
  /** The phones that were charged with its reference, also later; null for the first push with it, which most are. */
  phones: string[] | null;
  /** Whether it had been another phone's as well when the push came. */
  readonly isReferenceShared: boolean;
  /** The last list that the client had read before. */
  readonly lastList: ListRequest | null;
}

/** A request for the list. */
export interface ListRequest {
  readonly requestId: number;
  readonly arrived: number;
  readonly answered: number;
  /** When it was answered, by the sandbox's clock and in time that a person waits. */
  readonly atMs: number;
  readonly realMs: number;
  readonly search: string | null;
  /** The payments in the answer, by number. */
  readonly shown: readonly number[];
  /** Why there was no answer with 200. */
  readonly refusal: string | null;
}

/** A list that showed a payment for which it was not requested. */
export interface Sighting {
  readonly list: ListRequest;
  readonly isFirstRow: boolean;
  /** The parameter that the service ignores, and that would have left it out; null if there is none. */
  readonly ignored: string | null;
}

/** A payment that a request names, and how. */
export interface Mention {
  readonly payment: Payment;
  /** What the request has instead of the id; null for the id itself in the member that is for it. */
  readonly form: string | null;
  /** What was sent. */
  readonly sent: string;
  /** False for an id that was cut, or has more around it. */
  readonly isWhole: boolean;
}

/** What a payment records of a request that asked for its status, or of a list that showed it. */
interface Look {
  readonly call: { readonly id: number };
  readonly arrived: number;
  readonly atMs: number;
  readonly arrivedRealMs: number;
  readonly answered: Instant;
  readonly isDelivered: boolean;
}

export interface End {
  readonly status: Status;
  readonly atMs: number;
  readonly order: number;
}

/** What became of the webhooks of a payment. */
export interface Deliveries {
  attempts: number;
  /** The place in the order of all events where the first was due, then that of the last attempt. */
  lastOrder: number;
  /** What became of the last attempt. */
  last: string;
  /** The place of the first attempt that was answered with 2xx. */
  takenOrder: number | null;
}

/** A program that asks for the status of a payment. */
export interface Poller {
  /** Its `User-Agent`. */
  readonly client: string;
  /** Of its last poll: when it arrived, when it was answered, and what the client read. */
  atMs: number;
  realMs: number;
  answered: number;
  hasReadPending: boolean;
  /** How long it waited after it had read “pending”; 0 if it had not, if a webhook came, or if the sandbox's clock stood still. */
  intervalMs: number;
  /** The same of the poll before. */
  lastIntervalMs: number;
  /** The first final status that it has read. */
  finalStatus: string | null;
  /** Its polls in a row, at the rhythm of polling, after it has read that. */
  pollsAfterEnd: number;
}

/** How many pollers of one payment are distinguished. */
const MOST_POLLERS = 4;

/** Three times the longest interval of §4.4: what comes later is a new look, and no polling. */
const RHYTHM_MS = 15_000;

/** What the audit needs of a transaction. */
export type StartedTransaction = Charge & Pick<TransactionFacts, keyof TransactionIdentifiers | "merchantId">;

const NONE: readonly never[] = [];

/** What happened to a payment, and what its client could know of it. */
export class Payment implements Charge {
  readonly number: number;
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
  readonly merchantId: number;
  readonly paymentAccountId: number;
  readonly phone: string;
  readonly amountCents: number;
  readonly reference: string | null;
  /** The place of its start in the order of all events. */
  readonly created: number;
  /** The push of the client that started it; null if there was none, or if it is not answered yet. */
  push: Push | null = null;
  end: End | null = null;
  deliveries: Deliveries | null = null;
  /** The place of the first answer that told how it ended. */
  learned: number | null = null;
  /** The requests that asked for its status, and the lists that showed it. */
  looks = 0;
  firstLook = 0;
  /** The last of them: which request, when it was answered, and whether the client got a status. */
  lastLookId = 0;
  lastLookMs = 0;
  isLastLookDelivered = false;
  /** A request named it in a form that was refused. */
  isNamed = false;
  /** The last list that was requested for another payment and showed this one, if no poll came since. */
  sighting: Sighting | null = null;
  /** The payment above it in the last list that was searched for it, if no poll came since. */
  rowAbove: Payment | null = null;
  pollers: readonly Poller[] = NONE;

  constructor(transaction: StartedTransaction, created: number) {
    this.number = transaction.id;
    this.checkoutRequestId = transaction.checkoutRequestId;
    this.merchantRequestId = transaction.merchantRequestId;
    this.merchantId = transaction.merchantId;
    this.paymentAccountId = transaction.paymentAccountId;
    this.phone = transaction.phone;
    this.amountCents = transaction.amountCents;
    this.reference = transaction.reference;
    this.created = created;
  }

  get isUnpaid(): boolean {
    return this.end !== null && this.end.status !== "completed";
  }

  /** Whether the client could know at a place in the order of all events how the payment ended. */
  isLearnedBefore(order: number): boolean {
    const taken = this.isToldByWebhook ? (this.deliveries?.takenOrder ?? null) : null;
    return (this.learned !== null && this.learned < order) || (taken !== null && taken < order);
  }

  /** Whether a webhook was taken that tells the client which order it is about. */
  get isToldByWebhook(): boolean {
    return this.deliveries?.takenOrder != null && (this.push?.isDelivered === true || this.reference !== null);
  }

  /** A request asked for its status, or a list showed it. @param status what the answer showed */
  see(request: Look, status: string | null): void {
    const { answered, call, isDelivered } = request;
    this.looks += 1;
    if (this.looks === 1) this.firstLook = answered.order;
    this.lastLookId = call.id;
    this.lastLookMs = answered.atMs;
    this.isLastLookDelivered = isDelivered && status !== null;
    if (this.isLastLookDelivered && status !== "pending") this.learned ??= answered.order;
  }

  /** The program that sent a poll, as it was before it. */
  pollerOf(client: string): Poller {
    for (const poller of this.pollers) if (poller.client === client) return poller;
    const poller: Poller = {
      client,
      atMs: Number.NEGATIVE_INFINITY,
      realMs: Number.NEGATIVE_INFINITY,
      answered: 0,
      hasReadPending: false,
      intervalMs: 0,
      lastIntervalMs: 0,
      finalStatus: null,
      pollsAfterEnd: 0,
    };
    this.pollers = [...this.pollers.slice(1 - MOST_POLLERS), poller];
    return poller;
  }

  /** A poll of a program. */
  poll(poller: Poller, request: Look, status: string | null): void {
    const { atMs, arrivedRealMs, arrived, answered, isDelivered } = request;
    const isNext = arrived > poller.answered;
    const isByWebhook = this.deliveries !== null && this.deliveries.lastOrder > poller.answered;
    const sandboxMs = atMs - poller.atMs;
    const isTimed = isNext && poller.hasReadPending && !isByWebhook && sandboxMs > 0;
    poller.lastIntervalMs = poller.intervalMs;
    poller.intervalMs = isTimed ? Math.max(sandboxMs, arrivedRealMs - poller.realMs) : 0;
    if (poller.finalStatus !== null && isNext && !isByWebhook) {
      poller.pollsAfterEnd = sandboxMs > RHYTHM_MS ? 0 : poller.pollsAfterEnd + 1;
    }
    poller.hasReadPending = isDelivered && status === "pending";
    if (isDelivered && status !== null && status !== "pending") poller.finalStatus ??= status;
    poller.atMs = atMs;
    poller.realMs = arrivedRealMs;
    poller.answered = answered.order;
  }

  /** A webhook is due: its receiver may ask at once, also before it answers. */
  expectWebhook(at: Instant): Deliveries {
    this.deliveries ??= { attempts: 0, lastOrder: at.order, last: "", takenOrder: null };
    return this.deliveries;
  }

  /** An attempt to deliver its webhook. */
  deliver(at: Instant, status: number | null, problem: string | null): void {
    const deliveries = this.expectWebhook(at);
    deliveries.attempts += 1;
    deliveries.lastOrder = at.order;
    if (problem === null) deliveries.takenOrder ??= at.order;
    deliveries.last = problem === null ? `HTTP ${status}` : status === null ? problem : `HTTP ${status}, ${problem}`;
  }
}
