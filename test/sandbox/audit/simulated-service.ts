import type { FinalStatus, Status } from "../../../src/domain/transaction.ts";
import { createAuditedClient, LOST } from "../../support/audited-client.ts";

/** Of a hundred requests, how many have this fault. */
export type FaultRates = Readonly<Record<"error" | "delay" | "disconnect", number>>;

interface Payment {
  readonly id: string;
  readonly reference: string;
  readonly outcome: FinalStatus;
  readonly endsAtMs: number;
  status: Status;
}

/** Null: an error, or no answer. */
type Reply<T> = Promise<T | null>;

const CLIENT_TIMEOUT_MS = 10_000;

export type SimulatedService = ReturnType<typeof createService>;

/** A payment service with faults, without a server or a store. Its time goes from event to event. */
export function createService(seed: number, faultRates: FaultRates, promptTimeoutMs: number) {
  const { realClock, clock, ...client } = createAuditedClient();
  let payments: Payment[] = [];
  let delayed = 0;
  let state = seed | 1;

  /** A random integer from 0 to below the bound. */
  function draw(bound: number): number {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * bound);
  }

  const after = (durationMs: number, happen: () => void) =>
    void realClock.alarm(realClock.nowMs() + durationMs, happen);

  function resolveDue(): void {
    for (const payment of payments) {
      if (payment.status !== "pending" || clock.nowMs() < payment.endsAtMs) continue;
      payment.status = payment.outcome;
      client.end(payment.id, payment.outcome);
    }
  }

  /**
   * Sends a request to the service, and returns the answer.
   * @param operate carries it out, and reports it to the audit
   * @param fail reports to the audit the error that is answered instead
   */
  function request<T>(operate: (more: object) => T, fail: (more: object) => void): Reply<T> {
    const { promise, resolve } = Promise.withResolvers<T | null>();
    after(CLIENT_TIMEOUT_MS, () => resolve(null));
    after(draw(20), () => {
      const [cameMs, atMs] = [realClock.nowMs(), clock.nowMs()];
      const fault = (["error", "delay", "disconnect"] as const).find((kind) => draw(100) < faultRates[kind]) ?? null;
      if (fault === "delay") delayed += 1;
      after(fault === "delay" ? 1000 + draw(40_000) : 1 + draw(30), () => {
        if (fault === "delay") delayed -= 1;
        resolveDue();
        const more = { atMs, durationMs: realClock.nowMs() - cameMs, fault };
        const isLost = fault === "disconnect";
        const answer = fault === "error" ? fail({ ...more, status: 503 }) : operate({ ...more, ...(isLost && LOST) });
        after(draw(20), () => resolve(isLost ? null : (answer ?? null)));
      });
    });
    return promise;
  }

  return {
    clock,
    nowMs: realClock.nowMs,
    draw,
    resolveDue,
    sleep(durationMs: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      after(durationMs, resolve);
      return promise;
    },
    /** Starts a payment that ends with this outcome, or expires before. */
    push: (reference: string, outcome: FinalStatus, afterMs: number): Reply<string> =>
      request(
        (more) => {
          const id = client.push(reference, more);
          const isLate = afterMs >= promptTimeoutMs;
          payments.push({
            id,
            reference,
            outcome: isLate ? "expired" : outcome,
            endsAtMs: clock.nowMs() + Math.min(afterMs, promptTimeoutMs),
            status: "pending",
          });
          return id;
        },
        (more) => client.refuse(503, {}, more),
      ),
    poll: (id: string): Reply<Status> =>
      request(
        (more) => {
          // After a reset the service no longer knows the payment.
          const status = payments.find((payment) => payment.id === id)?.status;
          client.poll(id, status, more);
          return status ?? null;
        },
        (more) => client.poll(id, undefined, more),
      ),
    /** The payments with this reference, the newest first. */
    search: (reference: string): Reply<readonly Pick<Payment, "id" | "status">[]> =>
      request(
        (more) => {
          const found = payments.filter((payment) => payment.reference === reference).reverse();
          const rows = found.map(({ id, status }) => ({ id, status }));
          client.list(`search=${reference}`, Object.fromEntries(rows.map(({ id, status }) => [id, status])), more);
          return rows;
        },
        (more) => client.list(`search=${reference}`, {}, more),
      ),
    reset() {
      payments = [];
      client.forget();
      clock.reset();
    },
    /** The kinds of findings now. While a request is delayed, the audit does not judge what is missing. */
    found: () => (delayed > 0 ? client.audit.report(null).findings.map(({ kind }) => kind) : client.kinds()),
    /** Goes from event to event until there are none. */
    async run() {
      for (;;) {
        // The client acts on the last event before the next one.
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        const [next] = realClock.alarmsAtMs;
        if (next === undefined) return;
        realClock.advance(Math.max(0, next - realClock.nowMs()));
        resolveDue();
      }
    },
  };
}
