import { Audit, type RunEnd } from "../../../sandbox/audit/audit.ts";
import { type FindingKind, KINDS } from "../../../sandbox/audit/rules.ts";
import type { Finding } from "../../../sandbox/audit/shape.ts";
import { createVirtualClock } from "../../../sandbox/network/clock.ts";
import { type AnsweredRequest, type DelayedRequest, type Members, membersOf } from "../../../sandbox/request-log.ts";
import type { DeliveryAttempt } from "../../../src/domain/delivery.ts";
import { formatTimestamp } from "../../../src/domain/timestamp.ts";
import type { FinalStatus, FinalTransaction, Status, Transaction } from "../../../src/domain/transaction.ts";
import { INPUTS } from "../../../src/http/api.ts";
import { answeredRequest } from "../../support/answered.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { rethrow } from "../../support/rethrow.ts";
import { START_MS } from "../../support/service.ts";

/** What a fault or the log adds to a request, such as its duration. */
type More = Partial<AnsweredRequest>;

export type AuditedClient = ReturnType<typeof createAuditedClient>;

/** The requests of a client, as the audit gets them: without a server, in a time that the test moves. */
export function createAuditedClient({ hasWebhook = false, basePaths = ["/v2", "/api/v2"] } = {}) {
  const [basePath] = basePaths;
  const realClock = createManualClock(START_MS);
  const clock = createVirtualClock(realClock);
  const audit = new Audit({ basePaths, inputs: () => INPUTS, hasWebhook: () => hasWebhook, reportFault: rethrow });
  const transactions = new Map<unknown, Transaction>();
  const ids: string[] = [];
  const attempts = new Map<string, readonly DeliveryAttempt[]>();
  const phones = new Map<string | null, string>();
  let requests = 0;
  /** When each event was, in its place. */
  const events: number[] = [];
  const moment = () => {
    events.push(realClock.nowMs());
    return { atMs: clock.nowMs(), realMs: realClock.nowMs(), order: events.length };
  };
  /** The place of the arrival of a request that is answered now. */
  const arrivedBefore = (durationMs: number) =>
    durationMs === 0 ? moment().order : events.filter((ms) => ms <= realClock.nowMs() - durationMs).length + 0.5;
  const delayed = new Set<DelayedRequest>();
  const report = (end: RunEnd | null = null) => audit.report(moment(), end, end ? [...delayed] : []);
  const findings = (): readonly Finding[] => report().findings;

  function send(call: More): void {
    requests += 1;
    const { durationMs = 0, body = null } = call;
    const id = membersOf(body)?.checkout_request_id;
    audit.call(
      answeredRequest({
        id: requests,
        atMs: clock.nowMs() - durationMs,
        target: `${basePath}/status.php`,
        checkoutRequestId: typeof id === "string" ? id.trim() : null,
        arrived: arrivedBefore(durationMs),
        ...call,
      }),
      moment(),
    );
  }

  return {
    audit,
    clock,
    /** The checkout request ids of the payments, in their order. */
    ids,
    /** Sends any request; by default to /status.php. */
    send,
    /** Time passes, for the client and for the sandbox. */
    live: (durationMs: number) => realClock.advance(durationMs),
    /** Time passes while the clock of the sandbox is frozen. */
    freezeFor(durationMs: number) {
      clock.freeze();
      realClock.advance(durationMs);
      clock.resume();
    },
    /**
     * Starts a payment: of a new customer, or of the one with this reference.
     * @param ended its end, if it came before the answer
     * @returns its checkout request id
     */
    push(reference: string | null = null, more: More = {}, { ended, ...order }: { ended?: FinalStatus } = {}): string {
      const number = transactions.size + 1;
      const newPhone = String(254_700_000_000 + number);
      if (reference && !phones.has(reference)) phones.set(reference, newPhone);
      const id = `ws_CO_20112026100000_${String(number).padStart(20, "0")}`;
      // The audit reads no other members.
      const transaction = {
        id: number,
        checkoutRequestId: id,
        merchantRequestId: id.replace("CO", "MR"),
        merchantId: 1,
        paymentAccountId: 1,
        phone: phones.get(reference) ?? newPhone,
        amountCents: 100,
        reference,
        createdAtMs: clock.nowMs(),
        status: "pending",
        ...order,
      };
      transactions.set(id, transaction as Transaction);
      ids.push(id);
      audit.changed(transaction as Transaction, moment());
      if (ended) audit.changed({ ...transaction, status: ended } as Transaction, moment());
      const { phone, amountCents } = transaction;
      const body = { payment_account_id: 1, phone, amount: amountCents / 100, reference };
      const answer = { success: true, checkout_request_id: id };
      send({ target: `${basePath}/stkpush.php`, body: JSON.stringify(body), answer: JSON.stringify(answer), ...more });
      return id;
    },
    /** Sends a push that a fault delays until the end. */
    hold: (members: Members, headers = new Headers()) =>
      void delayed.add({
        atMs: clock.nowMs(),
        arrived: moment().order,
        path: `${basePath}/stkpush.php`,
        headers,
        members,
      }),
    /** Starts a payment that is refused. */
    refuse(status: number, body: object = {}, more: More = {}, message = "no") {
      const target = `${basePath}/stkpush.php`;
      send({
        target,
        body: JSON.stringify(body),
        status,
        answer: JSON.stringify({ success: false, message }),
        refusal: refusalIn(status, message),
        ...more,
      });
    },
    /** @param status what the answer says; without one the poll is refused */
    poll(id: unknown, status?: Status, more: More = {}) {
      const answer =
        status === undefined ? { success: false, message: "no payment of yours" } : { success: true, status };
      send({
        body: JSON.stringify({ checkout_request_id: id }),
        status: status === undefined ? 404 : 200,
        answer: JSON.stringify(answer),
        ...more,
      });
    },
    /**
     * @param shown the payments in the answer, and their status
     * @param pages the page of the answer, and how many there are
     */
    list(query = "", shown: Readonly<Record<string, Status>> = {}, more: More = {}, pages?: readonly [number, number]) {
      const rows = Object.entries(shown).map(([id, status]) => {
        const { id: number, createdAtMs = 0 } = transactions.get(id) ?? {};
        return { id: number, type: "API", status, created_at: formatTimestamp(createdAtMs) };
      });
      const pagination = pages && { current_page: pages[0], total_pages: pages[1] };
      const answer = JSON.stringify({ success: true, transactions: rows, pagination });
      send({ method: "GET", target: `${basePath}/transactions.php${query && `?${query}`}`, answer, ...more });
    },
    /** The payment becomes final. */
    end: (id: string, status: FinalStatus) =>
      audit.changed({ ...transactions.get(id), status } as Transaction, moment()),
    /**
     * An attempt to deliver the webhook of a payment.
     * @param status the answer; null if nobody answers
     */
    deliver(id: string, status: number | null) {
      const payment = transactions.get(id) as FinalTransaction;
      const problem =
        status === 200 ? null : status ? "only 2xx counts as delivered" : "nothing answers at this address";
      const made = [...(attempts.get(id) ?? []), { atMs: clock.nowMs(), durationMs: 0, status, answer: "", problem }];
      attempts.set(id, made);
      const more = { id: payment.id, form: "flat", endedAtMs: 0, dueAtMs: problem && clock.nowMs(), resendOf: null };
      audit.delivered({ ...more, payment, attempts: made }, moment());
    },
    /** A reset, or a restore. */
    reset: () => audit.beginChapter(moment()),
    forget: () => audit.forget(),
    /** For a program whose requests are intercepted. */
    openAccount: (id: number) => audit.accountOpened(id, moment()),
    report,
    /** While any request is delayed. */
    reportWhileDelayed: () => {
      const request = { atMs: clock.nowMs(), arrived: moment().order, path: "", headers: new Headers(), members: null };
      return audit.report(moment(), null, [request]);
    },
    findings,
    kinds: () => findings().map(({ kind }) => kind),
  };
}

/** The connection was closed before the answer. */
export const LOST = { status: null, fault: "disconnect", isDelivered: false } as const;

/** The refusal that has this message: each of its parts that begins with a member is an issue. */
function refusalIn(status: number, message: string): AnsweredRequest["refusal"] {
  if (status === 500) return message.startsWith("STK push initiation failed") ? { kind: "provider", issues: [] } : null;
  const parts = message.split("; ").filter((part) => !part.startsWith("it is "));
  return { kind: "invalid", issues: parts.map((part) => ({ path: part.split(" ", 1)[0] ?? "", rule: part })) };
}

export function kindOf(name: FindingKind) {
  const kind = KINDS.find((one) => one.kind === name);
  if (!kind) throw new Error(`no such kind: ${name}`);
  return kind;
}
