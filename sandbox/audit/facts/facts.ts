import type { Delivery } from "../../../src/domain/delivery.ts";
import { keepLast } from "../../../src/domain/keep-last.ts";
import { parametersIn } from "../../../src/domain/parameters.ts";
import { NOT_TAKEN } from "../../../src/domain/provider.ts";
import type { Transaction } from "../../../src/domain/transaction.ts";
import type { AnsweredRequest } from "../../request-log.ts";
import { Charges, chargeIn } from "./charges.ts";
import { ignoredFiltersIn, type Listing, leavesOut, listRequest } from "./lists.ts";
import { mentionsIn } from "./mentions.ts";
import { type Instant, type ListRequest, Payment, type Sighting } from "./payment.ts";
import { PaymentBook } from "./payment-book.ts";
import { type ClientRequest, rowsIn } from "./request.ts";

/** A client that lost an answer looks soon after: older requests do not matter. */
const MOST_LISTS = 16;

/** How many lists with several pages are followed. */
const MOST_LISTINGS = 100;

/** How many ids of before a reset are remembered. */
const MOST_FORGOTTEN = 2000;

/** What happened, as far as findings depend on it. It is recorded here, and judged by the rules. */
export class Facts {
  readonly payments: PaymentBook;
  /** The ids of payments that are judged no more: their clients may still ask. */
  forgotten: ReadonlySet<string>;
  /** The client's last push, if it was refused. */
  refusedPush: { readonly requestId: number; readonly status: number | null } | null = null;
  /** The last requests for the list, in the order of their arrival. */
  readonly lists: ListRequest[] = [];
  /** The lists with more than one page, by their query without the page. */
  readonly listings = new Map<string, Listing>();
  readonly charges = new Charges();
  /** The last payment whose push was not answered. */
  #lastUnanswered: Payment | null = null;

  /**
   * @param forgotten the ids of the payments before a reset, the newest last
   * @param leaving called with a payment before it is compared with no newer one any more
   * @param forgetting called with a payment before it is forgotten for lack of room
   */
  constructor(
    forgotten: readonly string[],
    leaving: (payment: Payment) => void,
    forgetting: (payment: Payment) => void,
  ) {
    this.forgotten = newest(forgotten);
    const leave = (payment: Payment) => {
      leaving(payment);
      if (payment.push) this.charges.remove(payment.push);
      payment.rowAbove = null;
    };
    this.payments = new PaymentBook(leave, forgetting);
  }

  /** The ids that clients may still ask for after a reset. */
  idsAfterReset(): string[] {
    return [...this.forgotten, ...this.payments.ids()];
  }

  /** Forgets all but the payments under way: they are judged when they end. */
  forgetEnded(): void {
    this.forgotten = newest(this.idsAfterReset());
    for (const { end, push } of this.payments.all()) if (end && push) this.charges.remove(push);
    this.payments.dropEnded();
    this.listings.clear();
    this.refusedPush = null;
  }

  /**
   * A payment has started or ended.
   * @param hasWebhook whether a webhook is due for each payment that ends
   * @returns the payment, if it has just ended
   */
  change(transaction: Transaction, at: Instant, hasWebhook: boolean): Payment | null {
    const { id, status } = transaction;
    const payment = this.payments.byNumber(id);
    if (!payment) {
      if (status === "pending") this.payments.add(new Payment(transaction, at.order));
      return null;
    }
    if (status === "pending" || payment.end) return null;
    payment.end = { status, atMs: at.atMs, order: at.order };
    if (hasWebhook) payment.expectWebhook(at);
    this.payments.settle(payment);
    return payment;
  }

  /** An attempt to deliver the webhook of a payment. */
  deliver({ payment: { id }, attempts }: Delivery, at: Instant): void {
    const attempt = attempts.at(-1);
    if (attempt) this.payments.byNumber(id)?.deliver(at, attempt.status, attempt.problem);
  }

  /** A request of the client. */
  record(request: ClientRequest): void {
    if (request.operation === "status") this.#recordPoll(request);
    else if (request.operation === "push") this.#recordPush(request);
    else if (request.operation === "list") this.#recordList(request);
    else if (request.operation === "path" || request.route?.operation !== "push") this.#recordMentions(request);
  }

  #recordPush(request: ClientRequest): void {
    const { call } = request;
    const id = request.text("checkout_request_id");
    this.refusedPush = id === null ? { requestId: call.id, status: call.status } : null;
    const payment = id === null ? null : (this.payments.byCheckoutId(id) ?? null);
    const charge = payment ?? (id === null && mayHavePaid(request) ? chargeIn(call.members) : null);
    if (charge === null) return;
    const lastList = this.lists.findLast(({ answered }) => answered < request.arrived) ?? null;
    request.push = this.charges.add(request, charge, payment, lastList);
    if (!payment) return;
    request.payment = payment;
    payment.push = request.push;
    if (!request.push.isDelivered) this.#lastUnanswered = payment;
  }

  #recordPoll(request: ClientRequest): void {
    if (request.isRefused) {
      this.#recordMentions(request);
      return;
    }
    const { call } = request;
    const payment = call.checkoutRequestId === null ? undefined : this.payments.byCheckoutId(call.checkoutRequestId);
    if (payment === undefined) return;
    request.payment = payment;
    request.sighting = payment.sighting;
    const status = call.status === 200 || call.hidden !== null ? request.text("status") : null;
    const poller = payment.pollerOf(call.headers.get("User-Agent") ?? "");
    request.poller = poller;
    request.isFirstPoll = payment.pollers.length === 1 && poller.answered === 0;
    payment.poll(poller, request, status);
    payment.see(request, status);
    payment.sighting = null;
    payment.rowAbove = null;
    this.payments.settle(payment);
  }

  #recordList(request: ClientRequest): void {
    const rows = rowsIn(request);
    const list = listRequest(request, rows);
    keepLast(this.lists, list, MOST_LISTS);
    // A slow list is answered after a later one.
    if (this.lists.length > 1) this.lists.sort((one, other) => one.arrived - other.arrived);
    const parameters = parametersIn(request.query);
    const isForOne = list.search !== null || parameters.has("id");
    const lost = isForOne || this.#lastUnanswered?.learned != null ? null : this.#lastUnanswered;
    const ignored = ignoredFiltersIn(request);
    const shown: Payment[] = [];
    for (const row of rows) {
      const payment = this.payments.byNumber(row.id);
      if (!payment) continue;
      shown.push(payment);
      payment.see(request, row.status);
      const by = ignored.find((filter) => leavesOut(filter, row, payment));
      if (by) payment.sighting = { list, isFirstRow: row === rows[0], ignored: by.name };
      this.payments.settle(payment);
    }
    const [first] = shown;
    if (list.search !== null) this.#recordSearch(list, list.search, shown);
    else if (lost && first && first !== lost) first.sighting ??= sightingOf(list, true);
    this.#recordPages(request, parameters);
    if (request.isRefused || [...parameters.keys()].some((name) => request.inputs?.includes(name) === false))
      this.#recordMentions(request);
  }

  /** Records what a search for the reference of a payment has shown of others. */
  #recordSearch(list: ListRequest, search: string, shown: readonly Payment[]): void {
    const isWanted = (payment: Payment) => payment.reference?.toLowerCase() === search.toLowerCase();
    const wanted = shown.find(isWanted);
    if (wanted) {
      wanted.sighting = null;
      wanted.rowAbove = shown[0] === wanted || wanted.push?.isDelivered ? null : (shown[0] ?? null);
    }
    const others = shown.filter((payment) => !isWanted(payment));
    if (others.length === 0) return;
    if (!wanted && !this.charges.hasLost(search) && !this.payments.newest().some(isWanted)) return;
    for (const other of others) other.sighting = sightingOf(list, other === shown[0]);
  }

  #recordPages({ call, own, answered, isDelivered }: ClientRequest, parameters: URLSearchParams): void {
    const { current_page: page, total_pages: pages } = Object(own.pagination) as Record<string, unknown>;
    if (!isDelivered || typeof pages !== "number") return;
    const query = new URLSearchParams(parameters);
    query.delete("page");
    const key = query.toString();
    const listing = this.listings.get(key);
    if (listing) {
      listing.read.add(page);
      listing.pages = pages;
    } else if (pages > 1 && this.listings.size < MOST_LISTINGS) {
      const isReport = ["date_from", "date_to", "status"].some((name) => query.has(name));
      if (isReport && !query.has("search") && !query.has("id"))
        this.listings.set(key, { query: key, requestId: call.id, atMs: answered.atMs, read: new Set([page]), pages });
    }
  }

  /** A request names payments in a form that was refused: in its body, its query or its path. */
  #recordMentions(request: ClientRequest): void {
    for (const mention of mentionsIn(this.payments, request)) {
      mention.payment.isNamed = true;
      if (mention.isWhole) request.mention ??= mention;
    }
  }
}

const newest = (ids: readonly string[]): ReadonlySet<string> => new Set(ids.slice(-MOST_FORGOTTEN));

const sightingOf = (list: ListRequest, isFirstRow: boolean): Sighting => ({ list, isFirstRow, ignored: null });

/** Whether the client of a push without an id cannot know that it started no payment. */
function mayHavePaid({ call, isRefused }: ClientRequest): boolean {
  const { status, isDelivered, refusal, said } = call;
  if (!isDelivered || status === null) return true;
  // §4.1: the network refused the push, and the message says so.
  if (isRefused || refusal?.kind === "provider" || isLikeNetwork(call)) return false;
  // A page of a proxy with 200 says nothing about the payment.
  return status >= 500 || said.success === undefined;
}

/** Whether a fault answered as the network refuses a push: §4.1 lets a client know that by the text alone, so only here a text is read. */
const isLikeNetwork = ({ status, isInjected, said: { message } }: AnsweredRequest): boolean =>
  isInjected && status === 500 && typeof message === "string" && message.startsWith(NOT_TAKEN);
