import type { Transaction } from "../../src/domain/transaction.ts";
import { type AuditedCall, cameMs, type Moment } from "./call.ts";
import { createFindingBook, type Finding, type Mistake } from "./finding.ts";
import { auditInput } from "./inputs.ts";
import { auditList } from "./lists.ts";
import { auditPath } from "./paths.ts";
import { createPaymentBook, newPayment } from "./payments.ts";
import { auditPoll } from "./polls.ts";
import { auditPush } from "./pushes.ts";
import type { AuditState, Inputs, Reading } from "./rules.ts";
import { isUndisturbed, silenceOf } from "./silences.ts";

export type FindingListener = (finding: Finding) => void;

export interface AuditReport {
  /** The worst first, then the oldest. */
  readonly findings: readonly Finding[];
  /** How many findings were dropped for lack of room. */
  readonly leftOut: number;
}

export interface AuditOptions {
  /** The base paths of the operations; the first is the default. */
  readonly basePaths: readonly string[];
  readonly inputs: Inputs;
  /** Whether a webhook also reports payments. */
  readonly hasWebhook: () => boolean;
}

/** The operations by their path below the base path. */
const OPERATIONS = new Map([
  ["/stkpush.php", { method: "POST", audit: auditPush }],
  ["/status.php", { method: "POST", audit: auditPoll }],
  ["/transactions.php", { method: "GET", audit: auditList }],
]);

/** Finds what a client does wrong while it talks to the sandbox. It reads no clock and sets no timer. */
export class Audit {
  readonly #basePaths: readonly string[];
  readonly #listeners = new Set<FindingListener>();
  readonly #book = createFindingBook();
  readonly #state: AuditState;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #last: Moment = { nowMs: 0, realMs: 0, livedMs: 0 };

  constructor({ basePaths, inputs, hasWebhook }: AuditOptions) {
    this.#basePaths = basePaths;
    const payments = createPaymentBook((payment) => {
      const silence = silenceOf(payment, this.#last, this.#state);
      if (silence) this.#note(silence);
    });
    this.#state = {
      payments,
      inputs,
      pushes: 0,
      lastRefusal: null,
      listReads: [],
      lastListMs: Number.NEGATIVE_INFINITY,
      hasWebhook,
      note: (mistake) => this.#note(mistake),
    };
  }

  /** A request to the merchant API that was just answered. */
  call(call: AuditedCall, at: Moment): void {
    this.#last = at;
    if (cameMs(call, at) < this.#sinceMs) return;
    const mark = call.target.indexOf("?");
    const path = mark < 0 ? call.target : call.target.slice(0, mark);
    const query = mark < 0 ? "" : call.target.slice(mark + 1);
    const reading: Reading = { call, at, query };
    const base = this.#basePaths.find((candidate) => path.startsWith(`${candidate}/`));
    const name = base === undefined ? "" : path.slice(base.length);
    const operation = OPERATIONS.get(name);
    if (!operation) auditPath(this.#state, reading, path, this.#basePaths[0] ?? "");
    else if (call.method === operation.method) {
      operation.audit(this.#state, reading);
      auditInput(this.#state, name, reading);
    }
  }

  /** A transaction that has just started or ended. */
  changed(transaction: Transaction, at: Moment): void {
    this.#last = at;
    const { payments } = this.#state;
    const payment = payments.byNumber(transaction.id);
    if (transaction.status !== "pending") {
      if (payment) payment.end = { status: transaction.status, at };
    } else if (!payment) {
      payments.add(newPayment(transaction, at));
    }
  }

  /**
   * All findings, also those about requests that a client should have sent by now.
   * @param now null while requests are delayed: then missing requests mean nothing
   */
  report(now: Moment | null): AuditReport {
    const silences =
      now === null
        ? []
        : [...this.#state.payments.all()].flatMap((payment) => silenceOf(payment, now, this.#state) ?? []);
    return { findings: this.#book.list(silences), leftOut: this.#book.leftOut };
  }

  /** The client has ended, so it sends no more requests. */
  clientEnded(at: Moment): void {
    for (const payment of this.#state.payments.all()) payment.isLeft = isUndisturbed(payment, at);
  }

  /** Removes findings and payments, and ignores requests that arrived before. */
  forget(at: Moment): void {
    this.#sinceMs = at.realMs;
    this.#book.clear();
    this.#state.payments.clear();
    this.#state.lastRefusal = null;
    this.#state.listReads.length = 0;
    this.#state.lastListMs = Number.NEGATIVE_INFINITY;
  }

  /** Announces each finding, also repeated ones, but not findings about missing requests. */
  subscribe(listener: FindingListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #note(mistake: Mistake): Finding | null {
    const finding = this.#book.note(mistake);
    if (finding) for (const listener of this.#listeners) listener(finding);
    return finding;
  }
}
