import type { Transaction } from "../../src/domain/transaction.ts";
import { type AuditedCall, cameMs, type Moment } from "./call.ts";
import { createFindingBook, type Finding, type Mistake } from "./finding.ts";
import { auditInput } from "./inputs.ts";
import { auditList } from "./lists.ts";
import { auditPath } from "./paths.ts";
import { createPaymentBook } from "./payments.ts";
import { auditPoll } from "./polls.ts";
import { auditPush } from "./pushes.ts";
import type { AuditState, Reading } from "./rules.ts";
import { isUndisturbed, silenceOf } from "./silences.ts";

export type FindingListener = (finding: Finding) => void;

export interface AuditReport {
  /** The worst first, then the oldest. */
  readonly findings: readonly Finding[];
  /** How many findings there was no room for. */
  readonly leftOut: number;
}

/** Finds what a client does wrong while it talks to the sandbox. It reads no clock and sets no timer. */
export interface Audit {
  /** A call of the merchant API, as it is answered. */
  call(call: AuditedCall, at: Moment): void;
  /** A transaction as it starts, and as it ends. */
  changed(transaction: Transaction, at: Moment): void;
  /**
   * All findings. It also judges what a client has failed to do until now.
   * @param now null while calls are held up: then nobody knows what a client is about to do
   */
  report(now: Moment | null): AuditReport;
  /** The client has ended: what it has not asked by now, it never asks. */
  clientEnded(at: Moment): void;
  /** Removes findings and payments, and ignores calls that came before. */
  forget(at: Moment): void;
  /** Each finding as it is made or comes again, but not what a client fails to do. */
  subscribe(listener: FindingListener): () => void;
}

export interface AuditOptions {
  /** What stands before the paths of the operations; the first is the usual one. */
  readonly basePaths: readonly string[];
  /** Whether payments are also told by a webhook. */
  readonly hasWebhook: () => boolean;
}

export function createAudit({ basePaths, hasWebhook }: AuditOptions): Audit {
  const listeners = new Set<FindingListener>();
  const book = createFindingBook();
  let sinceMs = Number.NEGATIVE_INFINITY;
  let last: Moment = { nowMs: 0, realMs: 0, livedMs: 0 };

  function note(mistake: Mistake): Finding | null {
    const finding = book.note(mistake);
    if (finding) for (const listener of listeners) listener(finding);
    return finding;
  }

  const payments = createPaymentBook((payment) => {
    const silence = silenceOf(payment, last, state);
    if (silence) note(silence);
  });
  const state: AuditState = {
    payments,
    pushes: 0,
    lastRefusal: null,
    looks: [],
    lastLookMs: Number.NEGATIVE_INFINITY,
    hasWebhook,
    note,
  };

  /** The operation at a path, without what stands before it; null where there is none. */
  function operationAt(path: string): string | null {
    const base = basePaths.find((candidate) => path.startsWith(`${candidate}/`));
    const rest = base === undefined ? "" : path.slice(base.length);
    return rest === "/stkpush.php" || rest === "/status.php" || rest === "/transactions.php" ? rest : null;
  }

  return {
    call(call, at) {
      last = at;
      if (cameMs(call, at) < sinceMs) return;
      const mark = call.target.indexOf("?");
      const path = mark < 0 ? call.target : call.target.slice(0, mark);
      const operation = operationAt(path);
      const isRight = call.method === (operation === "/transactions.php" ? "GET" : "POST");
      const reading: Reading = {
        call,
        at,
        query: mark < 0 ? "" : call.target.slice(mark + 1),
      };
      if (operation === null) auditPath(state, reading, path, basePaths[0] ?? "");
      else if (isRight) {
        if (operation === "/stkpush.php") auditPush(state, reading);
        else if (operation === "/status.php") auditPoll(state, reading);
        else auditList(state, reading);
        auditInput(state, operation, reading);
      }
    },
    changed(transaction, at) {
      last = at;
      const payment = payments.byNumber(transaction.id);
      if (transaction.status !== "pending") {
        if (payment) payment.end = { status: transaction.status, at };
      } else if (!payment) {
        payments.add({
          number: transaction.id,
          checkoutRequestId: transaction.checkoutRequestId,
          merchantId: transaction.merchantId,
          reference: transaction.reference,
          created: at,
          start: null,
          end: null,
          isFinalTold: false,
          isListed: false,
          asks: 0,
          lastAsk: null,
          pollers: [],
          isLeft: false,
        });
      }
    },
    report(now) {
      const silences =
        now === null ? [] : [...payments.all()].flatMap((payment) => silenceOf(payment, now, state) ?? []);
      return { findings: book.list(silences), leftOut: book.leftOut };
    },
    clientEnded(at) {
      for (const payment of payments.all()) payment.isLeft = isUndisturbed(payment, at);
    },
    forget(at) {
      sinceMs = at.realMs;
      book.clear();
      payments.clear();
      state.lastRefusal = null;
      state.looks.length = 0;
      state.lastLookMs = Number.NEGATIVE_INFINITY;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
