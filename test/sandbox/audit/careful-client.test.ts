import { expect, test } from "bun:test";
import fc from "fast-check";
import type { FinalStatus, Status } from "../../../src/domain/transaction.ts";
import { createService, type SimulatedService } from "./simulated-service.ts";

/**
 * A client that follows §4.4 and does not know which faults there are. It may poll at once after an error or a lost answer, and
 * charge again after it has searched; the clock may be moved at any time.
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

/** Charges at most three times, and searches for a payment before it charges again. */
async function serve(service: SimulatedService, order: Order): Promise<void> {
  await service.sleep(order.atMs);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    let id = await service.push(order.reference, order.outcome, order.afterMs);
    for (;;) {
      if (id !== null) {
        const status = await (order.hasTimer ? pollByTimer : poll)(service, order, id);
        if (status === null || status === "completed" || !order.chargesAgain) return;
      }
      const rows = await search(service, order.reference);
      if (rows === null || rows.some(({ status }) => status === "completed")) return;
      const pending = rows.find(({ status }) => status === "pending");
      if (!pending) break;
      id = pending.id;
    }
  }
}

/** The payments with this reference; null if the service does not answer. */
async function search(service: SimulatedService, reference: string) {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const rows = await service.search(reference);
    if (rows !== null) return rows;
    await service.sleep(3000);
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
        expect([...found, ...service.found()]).toEqual([]);
      },
    ),
  );
}, 120_000);
