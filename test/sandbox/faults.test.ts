import { describe, expect, test } from "bun:test";
import { createFaultPlan, type Fault } from "../../sandbox/faults.ts";
import { drawSeed } from "../../src/domain/random.ts";
import { seededRandom } from "../support/random.ts";

const fault = (changes: Partial<Fault> = {}): Fault => ({
  path: null,
  what: { kind: "disconnect" },
  probability: 1,
  times: null,
  ...changes,
});

const error = (status: number, changes: Partial<Fault> = {}) => fault({ what: { kind: "error", status }, ...changes });

/** Which of so many requests meet a fault of this probability, as a string of x and dots. */
function run(seed: number, probability: number, count: number): string {
  const plan = createFaultPlan();
  plan.replace(seed, [fault({ probability })]);
  return Array.from({ length: count }, () => (plan.strike("/status.php") ? "x" : ".")).join("");
}

describe("a fault plan", () => {
  test("times counts what it struck, and the last one removes it", () => {
    const plan = createFaultPlan();
    plan.replace(1, [error(500, { path: "/stkpush.php", times: 2 }), error(502, { times: 1 })]);
    expect(plan.strike("/status.php")).toMatchObject({ status: 502 });
    expect(plan.strike("/status.php")).toBeNull();
    expect(plan.strike("/stkpush.php")).toMatchObject({ status: 500 });
    expect(plan.faults).toEqual([error(500, { path: "/stkpush.php", times: 1 })]);
    expect(plan.strike("/stkpush.php")).toMatchObject({ status: 500 });
    expect(plan.faults).toEqual([]);
  });

  test.each([0.05, 0.3, 0.5, 0.9])("a probability of %d strikes about as often", (probability) => {
    const struck = run(7, probability, 10_000).replaceAll(".", "").length;
    expect(Math.abs(struck / 10_000 - probability)).toBeLessThan(0.02);
    // The first request of a run is no exception.
    const first = Array.from({ length: 2000 }, (_, seed) => run(seed, probability, 1)).filter((mark) => mark === "x");
    expect(Math.abs(first.length / 2000 - probability)).toBeLessThan(0.05);
  });

  test("one that does not strike leaves the next one its chance, and keeps its times", () => {
    const plan = createFaultPlan();
    plan.replace(3, [error(500, { probability: 1e-9, times: 1 }), error(502)]);
    expect(plan.strike("/status.php")).toMatchObject({ status: 502 });
    expect(plan.faults[0]?.times).toBe(1);
  });
});

test("a seed that is drawn is one that can be given", () => {
  const random = seededRandom(9);
  for (const seed of Array.from({ length: 20 }, () => drawSeed(random))) expect(seed).toBeWithin(0, 2 ** 32);
});
