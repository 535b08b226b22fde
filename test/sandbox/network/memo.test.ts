import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readMemo, writeMemo } from "../../../sandbox/network/memo.ts";
import { endingOf, OUTCOMES } from "../../../sandbox/network/outcomes.ts";
import { createRuleBook } from "../../../sandbox/network/rules.ts";
import { type Decider, decide } from "../../../sandbox/network/script.ts";
import { promptOf } from "../../support/prompts.ts";

describe("the memo keeps what was decided, and who did", () => {
  test.each(OUTCOMES.map(({ name }) => name))("%s comes back as it went in", (outcome) => {
    const prompt = promptOf({ instruction: outcome });
    const script = decide(prompt, createRuleBook(), { outcome: "completed", afterMs: 3000 });
    expect(readMemo(writeMemo(script))).toEqual(script);
    expect(script.atMs === null).toBe(endingOf(outcome).by !== "network");
  });

  test("so does every outcome at every instant, whoever decided", () => {
    const anyDecider: fc.Arbitrary<Decider> = fc.oneof(
      fc.constantFrom("header", "network_limit", "test_phone", "default", "person").map((who) => ({ who }) as Decider),
      fc.integer({ min: 1, max: 1000 }).map((rule) => ({ who: "rule" as const, rule })),
    );
    const anyScript = fc.record({
      outcome: fc.constantFrom(...OUTCOMES.map(({ name }) => name)),
      atMs: fc.option(fc.integer({ min: 0, max: 8.64e15 })),
      by: anyDecider,
    });
    fc.assert(fc.property(anyScript, (script) => expect(readMemo(writeMemo(script))).toEqual(script)));
  });

  test("it stays a short text", () => {
    const script = { outcome: "insufficient_funds", atMs: 8.64e15, by: { who: "rule", rule: 1000 } } as const;
    expect(writeMemo(script).length).toBeLessThan(50);
  });

  test("one that was written before anybody noted who had decided is still read", () => {
    expect(readMemo("completed 1790000000000")).toEqual({ outcome: "completed", atMs: 1790000000000, by: null });
    expect(readMemo("manual")).toEqual({ outcome: "manual", atMs: null, by: null });
  });

  test("a memo that is not ours is a bug, not an outcome", () => {
    const strange = ["", "completed soon", "completed 1.5", "nothing 5", "completed 5 nobody", "completed 5 rule:0"];
    for (const memo of strange) expect(() => readMemo(memo)).toThrow();
  });
});
