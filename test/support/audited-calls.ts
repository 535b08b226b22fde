import { Audit } from "../../sandbox/audit/audit.ts";
import type { AuditedCall } from "../../sandbox/audit/call.ts";
import type { Finding } from "../../sandbox/audit/finding.ts";
import type { FinalStatus, Status, Transaction } from "../../src/domain/transaction.ts";
import { INPUTS } from "../../src/http/api.ts";
import { START_MS } from "./harness.ts";

/** Calls as a client makes them, one after the other, for an audit, in a time that a test moves. */
export interface AuditedCalls {
  readonly audit: Audit;
  /** Time passes, for everybody. */
  live(durationMs: number): void;
  /** Time passes while the sandbox's clock stands still. */
  stand(durationMs: number): void;
  /** The sandbox's clock is moved forward. */
  jump(durationMs: number): void;
  /** Starts a payment, and returns its checkout request id. */
  push(reference?: string, call?: Partial<AuditedCall>): string;
  /** A push that starts nothing. */
  refuse(status: number, body?: object): void;
  poll(id: unknown, status?: Status, call?: Partial<AuditedCall>): void;
  /** @param shown the payments that the list shows, with their status */
  list(query?: string, shown?: Readonly<Record<string, Status>>, call?: Partial<AuditedCall>): void;
  end(id: string, status: FinalStatus): void;
  /** The client's process ends. */
  endClient(): void;
  forget(): void;
  /** Any other call. */
  call(call: Partial<AuditedCall>): void;
  findings(): readonly Finding[];
  kinds(): string[];
}

export function auditCalls({ hasWebhook = false, basePath = "/v2" } = {}): AuditedCalls {
  let realMs = 0;
  let nowMs = START_MS;
  let livedMs = 0;
  let calls = 0;
  const transactions = new Map<string, Transaction>();
  const audit = new Audit({ basePaths: [basePath], inputs: INPUTS, hasWebhook: () => hasWebhook });
  const moment = () => ({ nowMs, realMs, livedMs });

  function send(call: Partial<AuditedCall>): void {
    calls += 1;
    audit.call(
      {
        id: calls,
        atMs: nowMs - (call.durationMs ?? 0),
        durationMs: 0,
        method: "POST",
        target: `${basePath}/status.php`,
        headers: new Headers(),
        body: null,
        status: 200,
        answer: null,
        fault: null,
        leniencies: [],
        ...call,
      },
      moment(),
    );
  }

  return {
    audit,
    live(durationMs) {
      realMs += durationMs;
      nowMs += durationMs;
      livedMs += durationMs;
    },
    stand(durationMs) {
      realMs += durationMs;
    },
    jump(durationMs) {
      nowMs += durationMs;
    },
    push(reference, call = {}) {
      const number = transactions.size + 1;
      const id = `ws_CO_${number}`;
      // The audit reads no other members.
      const facts = { id: number, checkoutRequestId: id, merchantId: 1, reference: reference ?? null };
      const transaction = { ...facts, status: "pending" } as Transaction;
      transactions.set(id, transaction);
      audit.changed(transaction, moment());
      const body = { payment_account_id: 1, phone: "0712345678", amount: 1, reference };
      const answer = { success: true, checkout_request_id: id };
      send({ target: `${basePath}/stkpush.php`, body: JSON.stringify(body), answer: JSON.stringify(answer), ...call });
      return id;
    },
    refuse: (status, body = {}) =>
      send({
        target: `${basePath}/stkpush.php`,
        body: JSON.stringify(body),
        status,
        answer: JSON.stringify({ success: false, message: "no" }),
      }),
    poll(id, status, call = {}) {
      const answer = status === undefined ? { success: false } : { success: true, status };
      send({
        body: JSON.stringify({ checkout_request_id: id }),
        status: status === undefined ? 404 : 200,
        answer: JSON.stringify(answer),
        ...call,
      });
    },
    list(query = "", shown = {}, call = {}) {
      const rows = Object.entries(shown).map(([id, status]) => ({ id: transactions.get(id)?.id, type: "API", status }));
      const answer = JSON.stringify({ success: true, transactions: rows });
      send({ method: "GET", target: `${basePath}/transactions.php${query && `?${query}`}`, answer, ...call });
    },
    end: (id, status) => audit.changed({ ...transactions.get(id), status } as Transaction, moment()),
    endClient: () => audit.clientEnded(moment()),
    forget: () => audit.forget(moment()),
    call: send,
    findings: () => audit.report(moment()).findings,
    kinds: () => audit.report(moment()).findings.map(({ kind }) => kind),
  };
}

/** The only finding. */
export function onlyFinding(calls: AuditedCalls): Finding {
  const [finding, ...more] = calls.findings();
  if (!finding || more.length > 0) throw new Error(`not one finding: ${calls.kinds().join(", ")}`);
  return finding;
}

export const LOST = { status: null, fault: "disconnect" } as const;
