import { expect, test } from "bun:test";
import fc from "fast-check";
import type { RunEnd } from "../../../sandbox/audit/audit.ts";
import type { FinalStatus, Status } from "../../../src/domain/transaction.ts";
import { createAuditedClient, LOST } from "../../support/audited-client.ts";
import { drawFrom } from "../../support/random.ts";

/** Of a hundred requests, how many have this fault. */
type FaultRates = Readonly<Record<"error" | "delay" | "disconnect", number>>;

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

type SimulatedService = ReturnType<typeof createService>;

/** A payment service with faults, without a server or a store. Its time goes from event to event. */
function createService(seed: number, faultRates: FaultRates, promptTimeoutMs: number) {
  const { realClock, clock, ...client } = createAuditedClient();
  let payments: Payment[] = [];
  let delayed = 0;
  const draw = drawFrom(seed);

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
      client.reset();
      clock.reset();
    },
    /**
     * The kinds of findings now. While a request is delayed, the audit does not judge what is missing. A reset just after a move of the
     * clock leaves the client no time to ask, which is a warning.
     * @param end given when the run is over
     */
    found: (end?: RunEnd) =>
      (delayed > 0 ? client.audit.report(null) : client.report(end)).findings
        .filter(({ message }) => !message.includes("The clock was moved"))
        .map(({ kind }) => kind),
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

/**
 * A client that follows §4.4 and does not know which faults there are. It may poll at once after an error or a lost answer, and
 * charge again after a payment that ended unpaid; the clock may be moved at any time.
 */

interface Order {
  readonly reference: string;
  readonly atMs: number;
  readonly outcome: FinalStatus;
  readonly afterMs: number;
  readonly intervalMs: number;
  /** Polls at fixed times, even if the last answer has not arrived. Otherwise it waits after each answer. */
  readonly hasTimer: boolean;
  readonly pollsAgainAtOnce: boolean;
  readonly chargesAgain: boolean;
}

const PATTERN_MS = 120_000;

/** Charges at most three times, and again only when it has seen that each payment before ended unpaid. */
async function serve(service: SimulatedService, order: Order): Promise<void> {
  await service.sleep(order.atMs);
  for (let charges = 1; charges <= 3; charges += 1) {
    const id = await service.push(order.reference, order.outcome, order.afterMs);
    const status = id === null ? await find(service, order, charges) : await follow(service, order, id);
    if (status === null || status === "completed" || !order.chargesAgain) return;
  }
}

const follow = (service: SimulatedService, order: Order, id: string) =>
  (order.hasTimer ? pollByTimer : poll)(service, order, id);

/** Looks for the last of so many payments, because its answer did not come; null if its end is unknown at the deadline. */
async function find(service: SimulatedService, order: Order, charges: number): Promise<Status | null> {
  const beginMs = service.nowMs();
  while (service.nowMs() - beginMs < PATTERN_MS) {
    const rows = (await service.search(order.reference)) ?? [];
    const open = rows.find(({ status }) => status === "pending");
    if (open) return follow(service, order, open.id);
    if (rows.length === charges) return rows[0]?.status ?? null;
    await service.sleep(order.intervalMs);
  }
  return null;
}

/** Polls until the status is final, and waits after each answer. */
async function poll(service: SimulatedService, order: Order, id: string): Promise<Status | null> {
  const beginMs = service.nowMs();
  while (service.nowMs() - beginMs < PATTERN_MS) {
    const status = await service.poll(id);
    if (status !== null && status !== "pending") return status;
    const isRetry = status === null && order.pollsAgainAtOnce;
    await service.sleep(isRetry ? 500 : order.intervalMs + service.draw(300));
  }
  return null;
}

/** Polls at fixed times until an answer with a final status arrives. */
async function pollByTimer(service: SimulatedService, order: Order, id: string): Promise<Status | null> {
  let final: Status | null = null;
  const asked: Promise<void>[] = [];
  for (let sinceMs = 0; sinceMs < PATTERN_MS && final === null; sinceMs += order.intervalMs) {
    asked.push(
      service.poll(id).then((status) => {
        if (status !== "pending") final ??= status;
      }),
    );
    await service.sleep(order.intervalMs);
  }
  await Promise.all(asked);
  return final;
}

interface Step {
  readonly waitMs: number;
  readonly what: "look" | "freeze" | "resume" | "advance" | "reset";
}

/** Moves the clock and resets the service, and collects the findings of the audit. */
async function steer(service: SimulatedService, steps: readonly Step[], found: string[]): Promise<void> {
  for (const { waitMs, what } of steps) {
    await service.sleep(waitMs);
    if (what === "freeze") service.clock.freeze();
    else if (what === "resume") service.clock.resume();
    else if (what === "advance") service.clock.advance(1 + service.draw(200_000));
    else if (what === "reset") service.reset();
    service.resolveDue();
    found.push(...service.found());
  }
}

const percent = fc.constantFrom(0, 0, 5, 30);
const anyOrder = fc.record({
  atMs: fc.nat(60_000),
  outcome: fc.constantFrom<FinalStatus>("completed", "failed", "cancelled", "expired"),
  afterMs: fc.nat(90_000),
  intervalMs: fc.integer({ min: 3000, max: 5000 }),
  hasTimer: fc.boolean(),
  pollsAgainAtOnce: fc.boolean(),
  chargesAgain: fc.boolean(),
});
const anyStep = fc.record({
  waitMs: fc.nat(60_000),
  what: fc.constantFrom<Step["what"]>("look", "look", "freeze", "resume", "advance", "reset"),
});

test("a client that does everything right has no finding, whatever faults it meets", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.record({ error: percent, delay: percent, disconnect: percent }),
      fc.constantFrom(60_000, 60_000, 300_000),
      fc.array(anyOrder, { minLength: 1, maxLength: 4 }),
      fc.array(anyStep, { maxLength: 12 }),
      async (seed, faultRates, promptTimeoutMs, orders, steps) => {
        const service = createService(seed, faultRates, promptTimeoutMs);
        const found: string[] = [];
        void steer(service, steps, found);
        const served = orders.map((order, index) => serve(service, { ...order, reference: `ORDER-${index}` }));
        await service.run();
        await Promise.all(served);
        service.clock.resume();
        void service.sleep(600_000);
        await service.run();
        expect([...found, ...service.found({})]).toEqual([]);
      },
    ),
  );
}, 120_000);
