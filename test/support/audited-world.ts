import { Audit } from "../../sandbox/audit/audit.ts";
import type { AuditedCall } from "../../sandbox/audit/call.ts";
import { createVirtualClock, type VirtualClock } from "../../sandbox/network/clock.ts";
import type { FinalStatus, Status, Transaction } from "../../src/domain/transaction.ts";
import { INPUTS } from "../../src/http/api.ts";
import { START_MS } from "./harness.ts";

/** A payment service without network, store or waiting, in a time that only events move: an audit sees what it would see. */

export interface Weather {
  /** Out of a hundred calls, so many are answered with an error, delayed or lost. */
  readonly errors: number;
  readonly delays: number;
  readonly disconnects: number;
}

export interface Reply {
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly answer: Record<string, unknown>;
}

interface Record_ {
  readonly number: number;
  readonly id: string;
  readonly reference: string;
  readonly outcome: FinalStatus;
  readonly endsAtMs: number;
  status: Status;
}

/** How long a client waits for an answer. */
const CLIENT_TIMEOUT_MS = 10_000;

export interface World {
  readonly audit: Audit;
  readonly clock: VirtualClock;
  nowMs(): number;
  /** From 0 to below the bound. */
  draw(bound: number): number;
  sleep(durationMs: number): Promise<void>;
  push(reference: string, outcome: FinalStatus, afterMs: number): Promise<Reply>;
  poll(id: string): Promise<Reply>;
  search(reference: string): Promise<Reply>;
  reset(): void;
  resolveDue(): void;
  /** The kinds that are found now. */
  found(): string[];
  /** Lets events happen until none is left. */
  run(): Promise<void>;
}

export function createWorld(seed: number, weather: Weather, promptTimeoutMs: number): World {
  let realMs = START_MS;
  let state = seed | 1;
  const events: { atMs: number; order: number; happen: () => void }[] = [];
  let order = 0;
  let calls = 0;
  let delayed = 0;
  let payments: Record_[] = [];
  let count = 0;
  const clock = createVirtualClock({ nowMs: () => realMs, alarm: () => () => {} });
  const audit = new Audit({ basePaths: ["/v2"], inputs: INPUTS, hasWebhook: () => false });
  const moment = () => ({ nowMs: clock.nowMs(), realMs, livedMs: clock.livedMs() });

  function draw(bound: number): number {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * bound);
  }

  function at(durationMs: number, happen: () => void): void {
    order += 1;
    events.push({ atMs: realMs + durationMs, order, happen });
  }

  function resolveDue(): void {
    for (const payment of payments) {
      if (payment.status !== "pending" || clock.nowMs() < payment.endsAtMs) continue;
      payment.status = payment.outcome;
      audit.changed(transactionOf(payment), moment());
    }
  }

  function operate(target: string, body: Record<string, unknown> | null): Reply {
    resolveDue();
    if (target.startsWith("/v2/transactions.php")) {
      const reference = new URLSearchParams(target.split("?")[1]).get("search");
      const rows = payments.filter((payment) => payment.reference === reference).reverse();
      const transactions = rows.map(({ number, id, status }) => ({
        id: number,
        type: "API",
        status,
        checkout_request_id: id,
      }));
      return { status: 200, answer: { success: true, transactions } };
    }
    if (target === "/v2/status.php") {
      const payment = payments.find(({ id }) => id === body?.checkout_request_id);
      return payment
        ? { status: 200, answer: { success: true, status: payment.status } }
        : { status: 404, answer: { success: false } };
    }
    count += 1;
    const [outcome, afterMs] = String(body?.description).split(" ");
    const isLate = Number(afterMs) >= promptTimeoutMs;
    const payment: Record_ = {
      number: count,
      id: `ws_CO_${count}`,
      reference: String(body?.reference),
      outcome: isLate ? "expired" : (outcome as FinalStatus),
      endsAtMs: clock.nowMs() + (isLate ? promptTimeoutMs : Number(afterMs)),
      status: "pending",
    };
    payments.push(payment);
    audit.changed(transactionOf(payment), moment());
    return { status: 200, answer: { success: true, transaction_id: count, checkout_request_id: payment.id } };
  }

  function send(method: string, target: string, body: Record<string, unknown> | null): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    at(CLIENT_TIMEOUT_MS, () => resolve({ status: null, answer: {} }));
    at(draw(20), () => {
      const cameMs = realMs;
      const atMs = clock.nowMs();
      const luck = draw(100);
      const fault =
        luck < weather.errors
          ? "error"
          : luck < weather.errors + weather.delays
            ? "delay"
            : luck < weather.errors + weather.delays + weather.disconnects
              ? "disconnect"
              : null;
      if (fault === "delay") delayed += 1;
      at(fault === "delay" ? 1000 + draw(40_000) : 1 + draw(30), () => {
        if (fault === "delay") delayed -= 1;
        const reply = fault === "error" ? { status: 503, answer: { success: false } } : operate(target, body);
        calls += 1;
        const isLost = fault === "disconnect";
        const call: AuditedCall = {
          id: calls,
          atMs,
          durationMs: realMs - cameMs,
          method,
          target,
          headers: new Headers(),
          body: body && JSON.stringify(body),
          status: isLost ? null : reply.status,
          answer: JSON.stringify(reply.answer),
          fault,
          leniencies: [],
        };
        audit.call(call, moment());
        at(draw(20), () => resolve(isLost ? { status: null, answer: {} } : reply));
      });
    });
    return promise;
  }

  return {
    audit,
    clock,
    nowMs: () => realMs,
    draw,
    sleep(durationMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      at(durationMs, resolve);
      return promise;
    },
    push: (reference, outcome, afterMs) =>
      send("POST", "/v2/stkpush.php", {
        payment_account_id: 1,
        phone: "0712345678",
        amount: 1,
        reference,
        description: `${outcome} ${afterMs}`,
      }),
    poll: (id) => send("POST", "/v2/status.php", { checkout_request_id: id }),
    search: (reference) => send("GET", `/v2/transactions.php?search=${reference}`, null),
    reset() {
      payments = [];
      audit.forget(moment());
      clock.restore();
    },
    resolveDue,
    found: () => audit.report(delayed > 0 ? null : moment()).findings.map(({ kind }) => kind),
    async run() {
      for (;;) {
        // What was waiting for the last event has its turn first.
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        events.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
        const next = events.shift();
        if (!next) return;
        realMs = Math.max(realMs, next.atMs);
        resolveDue();
        next.happen();
      }
    },
  };
}

function transactionOf({ number, id, reference, status }: Record_): Transaction {
  // The audit reads no other members.
  return { id: number, checkoutRequestId: id, merchantId: 1, reference, status } as Transaction;
}
