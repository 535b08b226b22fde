import type { Delivery } from "../../src/domain/delivery.ts";
import { createListeners, type Listeners } from "../../src/domain/listeners.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { AnsweredRequest, DelayedRequest } from "../request-log.ts";
import { Facts } from "./facts/facts.ts";
import { heldPush } from "./facts/held.ts";
import { isAutomatic, routesAt } from "./facts/paths.ts";
import type { Instant, Payment, Push } from "./facts/payment.ts";
import { ClientRequest, type Route } from "./facts/request.ts";
import { type Accepts, Judge } from "./judge.ts";
import type { Occasion } from "./rule.ts";
import { accountOpened } from "./rules/account-opened.ts";
import type { Finding, Tally } from "./shape.ts";
import { TallyBook } from "./tally.ts";

export type FindingListener = (finding: Finding) => void;

export interface AuditReport {
  readonly tally: Tally;
  /** The worst first, then the oldest. */
  readonly findings: readonly Finding[];
  /** How many mistakes were found that the user accepts. */
  readonly accepted: number;
  /** How many mistakes were dropped for lack of room. */
  readonly omitted: number;
}

export interface AuditOptions {
  /** The base paths of the operations; the first is the default. */
  readonly basePaths: readonly string[];
  /** What each operation accepts, by its path: the members of its body, or the parameters of its query. */
  readonly inputs: () => ReadonlyMap<string, readonly string[]>;
  /** Whether a webhook is set. */
  readonly hasWebhook: () => boolean;
  /** Gets what a listener throws. */
  readonly reportFault: (error: unknown) => void;
  readonly accepts?: Accepts | undefined;
}

/** A run that is over: its client sends no more requests. */
export interface RunEnd {
  /** Whether all of the run came to this sandbox: then it is an error that no request was accepted. */
  readonly isWhole?: boolean;
  /** When the client ended, if the sandbox's clock has moved on since. */
  readonly atMs?: number;
  /** The hosts whose requests should have come here. */
  readonly hosts?: readonly string[] | undefined;
}

/** A server with many suspects announces no changes of theirs: each would be compared with each payment that ends. */
const MOST_FOLLOWED_SUSPECTS = 100;

/**
 * Finds what a client does wrong while it talks to the sandbox. It reads no clock and sets no timer: each event is recorded in the
 * facts, and a finding is a rule over the facts.
 */
export class Audit {
  readonly #options: AuditOptions;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #listeners: Listeners<[Finding]>;
  /** Announces each finding, also repeated ones, but not those that only a report has. */
  readonly subscribe: Listeners<[Finding]>["subscribe"];
  #findings: Judge;
  /** What was announced of pushes that later events can change. */
  #suspicions: Judge;
  /** The pushes that may charge a customer again. */
  #suspects = new Set<Push>();
  #tally = new TallyBook();
  #facts = this.#newFacts([]);
  /** The place of the last reset in the order of all events. */
  #chapterOrder = 0;
  #nowMs = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#listeners = createListeners(options.reportFault);
    this.subscribe = this.#listeners.subscribe;
    this.#routes = routesAt(options.basePaths);
    this.#findings = this.#newJudge();
    this.#suspicions = this.#newJudge();
  }

  #newJudge(): Judge {
    return new Judge(this.#options.accepts, this.#listeners.announce);
  }

  #newFacts(forgotten: readonly string[]): Facts {
    return new Facts(
      forgotten,
      ({ push }) => push && this.#endSuspicion(push),
      (payment) => this.#endLife(payment),
    );
  }

  /** A request to the merchant API that was just answered. */
  call(call: AnsweredRequest, at: Instant): void {
    this.#nowMs = at.atMs;
    if (call.arrived < this.#chapterOrder) return;
    const request = this.#read(call, at);
    if (request.operation === "path" && isAutomatic(call.method, request.path, this.#options.basePaths)) return;
    this.#tally.request(request);
    this.#facts.record(request);
    if (request.push) this.#recordStart(request.push);
    this.#findings.request(request, this.#facts);
  }

  #read(call: AnsweredRequest, at: Instant): ClientRequest {
    const { target } = call;
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const query = mark < 0 ? "" : target.slice(mark + 1);
    const route = this.#routes.get(path) ?? null;
    const { basePaths, inputs } = this.#options;
    const base = route?.base ?? basePaths.find((candidate) => path.startsWith(candidate)) ?? basePaths[0] ?? "";
    return new ClientRequest(call, at, route, base, path, query, route ? inputs().get(route.path) : undefined);
  }

  #recordStart(push: Push): void {
    const { payment, earlier, otherPhone } = push;
    if (payment) {
      this.#tally.started += 1;
      if (payment.end?.status === "completed") this.#tally.paid += 1;
    }
    if (earlier.length === 0 && otherPhone === null) return;
    // Without a payment, no later event changes it.
    if (payment === null) this.#findings.push(push);
    else if (this.#suspicions.push(push)) this.#suspects.add(push);
  }

  #endSuspicion(push: Push): void {
    if (this.#suspects.delete(push)) this.#findings.push(push, true);
  }

  /** A payment account that did not exist, and was opened for a push. */
  accountOpened(id: number, { atMs }: Instant): void {
    const message = `Payment account ${id} did not exist, and was opened at its first use.`;
    this.#findings.found(accountOpened, { group: String(id) }, { message, requestIds: [], payment: null, atMs });
  }

  /** A transaction that has just started or ended. */
  changed(transaction: Transaction, at: Instant): void {
    this.#nowMs = at.atMs;
    const payment = this.#facts.change(transaction, at, this.#options.hasWebhook());
    const isPaid = transaction.status === "completed";
    if (isPaid && (payment?.push || this.#facts.payments.wasForgotten(transaction.id))) this.#tally.paid += 1;
    if (payment && this.#suspects.size > 0 && this.#suspects.size <= MOST_FOLLOWED_SUSPECTS)
      this.#suspectAgain(payment);
  }

  /** The end of a payment changes what is found about pushes for it. */
  #suspectAgain(payment: Payment): void {
    for (const push of this.#suspects) {
      const isAbout = push.payment === payment || push.earlier.some((earlier) => earlier.payment === payment);
      if (isAbout) this.#suspicions.push(push);
    }
  }

  /** An attempt to deliver the webhook of a payment. */
  delivered(delivery: Delivery, at: Instant): void {
    this.#tally.deliver(delivery);
    this.#facts.deliver(delivery, at);
  }

  /**
   * All findings, also those about the payments whose lives go on.
   * @param end null while the run goes on: then a payment is judged some time after its end
   * @param delayed the requests that are delayed now: while the run goes on, their answers may still tell the client; when it is
   * over, a push of them takes effect all the same
   */
  report(at: Instant, end: RunEnd | null = null, delayed: readonly DelayedRequest[] = []): AuditReport {
    this.#nowMs = at.atMs;
    const judge = this.#findings.copy();
    const notLearned = this.#judge(judge, end !== null, delayed);
    const tally = this.#tally.show(notLearned, this.#facts.payments.newestCount);
    if (end) judge.run({ ...runOf(end, at), tally, isAllOnRequest: this.#tally.isAllOnRequest });
    return { tally, findings: judge.list(), accepted: judge.accepted, omitted: judge.omitted };
  }

  /**
   * A reset or a restore: the lives of all payments end. Findings and counts stay. Requests that arrived before are ignored.
   * @param delayed the requests that are delayed now
   */
  beginChapter(at: Instant, delayed: readonly DelayedRequest[] = []): void {
    this.#nowMs = at.atMs;
    this.#tally.notLearned += this.#judge(this.#findings, true, delayed);
    this.#suspects.clear();
    this.#chapterOrder = at.order;
    this.#tally.beginChapter();
    this.#facts = this.#newFacts(this.#facts.idsAfterReset());
  }

  /** Removes what was found and counted. The payments under way are judged when they end. */
  forget(): void {
    this.#suspects.clear();
    this.#findings = this.#newJudge();
    this.#suspicions = this.#newJudge();
    this.#tally = new TallyBook();
    this.#facts.forgetEnded();
    for (const { push } of this.#facts.payments.all()) if (push) this.#tally.started += 1;
  }

  /** Judges what is open. @returns how many payments ended without their client learning it */
  #judge(judge: Judge, isOver: boolean, delayed: readonly DelayedRequest[]): number {
    for (const push of this.#suspects) judge.push(push, true);
    if (!isOver && delayed.length > 0) return 0;
    const occasion = this.#occasion(isOver);
    let notLearned = 0;
    for (const payment of this.#facts.payments.all()) {
      if (judge.payment(payment, occasion, this.#facts)) notLearned += 1;
    }
    if (!isOver) return notLearned;
    for (const request of delayed) {
      const push = heldPush(request, this.#facts.charges);
      if (push) judge.push(push);
    }
    judge.lists(this.#facts);
    return notLearned;
  }

  #occasion(isOver: boolean): Occasion {
    return { nowMs: this.#nowMs, isOver, hasWebhook: this.#options.hasWebhook() };
  }

  /** The life of a payment ends: it is forgotten for lack of room. */
  #endLife(payment: Payment): void {
    if (this.#findings.payment(payment, this.#occasion(true), this.#facts)) this.#tally.notLearned += 1;
  }
}

const runOf = ({ isWhole = false, atMs, hosts = [] }: RunEnd, at: Instant) => ({
  isWhole,
  silentHosts: hosts,
  endedMs: atMs ?? at.atMs,
});
