import { describe, expect, test } from "bun:test";
import { createFaultPlan, type Fault, MAX_FAULTS } from "../../sandbox/faults.ts";
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
  test("none: nothing happens", () => {
    expect(createFaultPlan().strike("/status.php")).toBeNull();
  });

  test("the first fault that is for the path strikes", () => {
    const plan = createFaultPlan();
    plan.replace(1, [error(500, { path: "/stkpush.php" }), error(502), error(503)]);
    expect(plan.strike("/stkpush.php")).toEqual({ kind: "error", status: 500 });
    expect(plan.strike("/status.php")).toEqual({ kind: "error", status: 502 });
  });

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

  test("the same seed brings the same faults, a different seed others", () => {
    const runs = Array.from({ length: 50 }, (_, seed) => run(seed, 0.5, 64));
    expect(Array.from({ length: 50 }, (_, seed) => run(seed, 0.5, 64))).toEqual(runs);
    expect(new Set(runs).size).toBe(50);
    expect(run(0, 0.5, 64)).not.toBe(run(0xffffffff, 0.5, 64));
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

  test(`are at most ${MAX_FAULTS}; one more changes nothing`, () => {
    const plan = createFaultPlan();
    plan.replace(5, [error(500)]);
    expect(() =>
      plan.replace(
        6,
        Array.from({ length: MAX_FAULTS + 1 }, () => fault()),
      ),
    ).toThrow("at most 100 faults");
    expect([plan.seed, plan.faults.length]).toEqual([5, 1]);
  });
});

test("a seed that is drawn is one that can be given", () => {
  const random = seededRandom(9);
  for (const seed of Array.from({ length: 20 }, () => drawSeed(random))) expect(seed).toBeWithin(0, 2 ** 32);
});
