import { expect, test } from "bun:test";
import fc from "fast-check";
import type { FinalStatus } from "../../../src/domain/transaction.ts";
import { createWorld, type World } from "../../support/audited-world.ts";

/** A client that does all right, as §4.4 has it: it never knows what weather it meets. */

interface Order {
  readonly atMs: number;
  readonly outcome: FinalStatus;
  readonly afterMs: number;
  readonly intervalMs: number;
  /** Asks at fixed times, whether or not the last answer has come; else it waits after each answer. */
  readonly hasTimer: boolean;
  readonly asksAgainAtOnce: boolean;
  readonly chargesAgain: boolean;
}

const PATTERN_MS = 120_000;

/** Charges a reference, at most three times, and each time after the first looks before. */
async function serve(world: World, order: Order, reference: string): Promise<void> {
  await world.sleep(order.atMs);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const begunMs = world.nowMs();
    const pushed = await world.push(reference, order.outcome, order.afterMs);
    let id = pushed.status === 200 ? String(pushed.answer.checkout_request_id) : null;
    for (;;) {
      if (id !== null) {
        const status = await (order.hasTimer ? followByTimer : follow)(world, order, id, begunMs);
        if (status === null || status === "completed" || !order.chargesAgain) return;
      }
      const rows = await lookFor(world, reference);
      if (rows === null || rows.some(({ status }) => status === "completed")) return;
      const pending = rows.find(({ status }) => status === "pending");
      if (!pending) break;
      id = pending.checkout_request_id;
    }
  }
}

type Row = { readonly status: string; readonly checkout_request_id: string };

/** The payments with this reference; null where nobody answers. */
async function lookFor(world: World, reference: string): Promise<readonly Row[] | null> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const { status, answer } = await world.search(reference);
    if (status === 200) return answer.transactions as Row[];
    await world.sleep(3000);
  }
  return null;
}

/** Waits after each answer. */
async function follow(world: World, order: Order, id: string, begunMs: number): Promise<string | null> {
  const beginMs = Math.max(begunMs, world.nowMs());
  while (world.nowMs() - beginMs < PATTERN_MS) {
    const { status, answer } = await world.poll(id);
    if (status === 200 && answer.status !== "pending") return String(answer.status);
    await world.sleep(status !== 200 && order.asksAgainAtOnce ? 500 : order.intervalMs + world.draw(300));
  }
  return null;
}

/** Asks at fixed times; what comes after the end is not asked any more. */
async function followByTimer(world: World, order: Order, id: string): Promise<string | null> {
  let final: string | null = null;
  const asked: Promise<void>[] = [];
  for (let sinceMs = 0; sinceMs < PATTERN_MS && final === null; sinceMs += order.intervalMs) {
    asked.push(
      world.poll(id).then(({ status, answer }) => {
        if (status === 200 && answer.status !== "pending") final ??= String(answer.status);
      }),
    );
    await world.sleep(order.intervalMs);
  }
  await Promise.all(asked);
  return final;
}

/** Moves the clock, resets, and looks what is found. */
async function steer(
  world: World,
  steps: readonly { readonly waitMs: number; readonly what: string }[],
  seen: string[],
) {
  for (const { waitMs, what } of steps) {
    await world.sleep(waitMs);
    if (what === "freeze") world.clock.freeze();
    else if (what === "resume") world.clock.resume();
    else if (what === "advance") world.clock.advance(1 + world.draw(200_000));
    else if (what === "reset") world.reset();
    world.resolveDue();
    seen.push(...world.found());
  }
}

const percent = fc.constantFrom(0, 0, 5, 30);
const order = fc.record({
  atMs: fc.integer({ min: 0, max: 60_000 }),
  outcome: fc.constantFrom<FinalStatus>("completed", "failed", "cancelled", "expired"),
  afterMs: fc.integer({ min: 0, max: 90_000 }),
  intervalMs: fc.integer({ min: 3000, max: 5000 }),
  hasTimer: fc.boolean(),
  asksAgainAtOnce: fc.boolean(),
  chargesAgain: fc.boolean(),
});
const step = fc.record({
  waitMs: fc.integer({ min: 0, max: 60_000 }),
  what: fc.constantFrom("look", "look", "freeze", "resume", "advance", "reset"),
});

test("a client that does all right has no finding, in all weathers", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.record({ errors: percent, delays: percent, disconnects: percent }),
      fc.constantFrom(60_000, 60_000, 300_000),
      fc.array(order, { minLength: 1, maxLength: 4 }),
      fc.array(step, { maxLength: 12 }),
      async (seed, weather, promptTimeoutMs, orders, steps) => {
        const world = createWorld(seed, weather, promptTimeoutMs);
        const seen: string[] = [];
        void steer(world, steps, seen);
        const served = Promise.all(orders.map((one, index) => serve(world, one, `ORDER-${index}`)));
        await world.run();
        await served;
        world.clock.resume();
        void world.sleep(600_000);
        await world.run();
        expect([...seen, ...world.found()]).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
}, 120_000);
