import { describe, expect, test } from "bun:test";
import { parseChoice } from "../../../sandbox/network/choice.ts";
import { OUTCOMES, type OutcomeName } from "../../../sandbox/network/outcomes.ts";
import { createRuleBook } from "../../../sandbox/network/rules.ts";
import { decide } from "../../../sandbox/network/script.ts";
import { Refusal } from "../../../src/domain/error.ts";
import { promptOf } from "../../support/prompts.ts";

const HEADER = "X-Sandbox-Outcome";

describe("X-Sandbox-Outcome: NAME[; after=DURATION]", () => {
  test.each([
    ["completed", "completed", null],
    ["  completed  ", "completed", null],
    ["completed; after=10s", "completed", 10_000],
    ["completed;after=250ms", "completed", 250],
    ["wrong_pin ; after = 2m", "wrong_pin", 120_000],
    ["expired; after=1s", "expired", 1000],
    ["cancelled; after=0s", "cancelled", 0],
    ["silent", "silent", null],
    ["manual", "manual", null],
    ["refused", "refused", null],
  ] as const)("%p", (text, outcome, afterMs) => {
    expect(parseChoice(text, HEADER)).toEqual({ outcome, afterMs });
  });

  test.each(["", " ", "success", "Completed", ";after=3s", "completed,cancelled", "completed after=3s", "0"])(
    "%p names no outcome: the refusal lists the names",
    (text) => {
      expect(() => parseChoice(text, HEADER)).toThrow(Refusal);
      expect(() => parseChoice(text, HEADER)).toThrow(
        `${HEADER} is not the name of an outcome; the names are ${OUTCOMES.map(({ name }) => name).join(", ")}`,
      );
    },
  );

  test.each([
    "completed;",
    "completed; ",
    "completed; later=3s",
    "completed; after",
    "completed; after=",
    "completed; after=3s;",
    "completed; after=3s; after=4s",
    "completed; AFTER=3s",
    "completed; after=3 s",
  ])("%p: the refusal shows the form", (text) => {
    expect(() => parseChoice(text, HEADER)).toThrow(
      `${HEADER} must be NAME or NAME; after=DURATION, such as completed; after=10s`,
    );
  });

  test.each(["3", "-3s", "25h", "1.5s", "soon"])("after=%s is no duration", (after) => {
    expect(() => parseChoice(`completed; after=${after}`, HEADER)).toThrow(
      `after in ${HEADER} is not a duration up to 24h: write it as 250ms, 3s, 2m or 1h`,
    );
  });

  test.each(["silent", "manual", "refused"] satisfies OutcomeName[])(
    "%s is never announced, so it takes no after",
    (name) => {
      expect(() => parseChoice(`${name}; after=3s`, HEADER)).toThrow(
        `after in ${HEADER} has no meaning with ${name}: leave it out`,
      );
    },
  );

  test("a prompt whose instruction is wrong is refused as the caller's mistake", () => {
    try {
      decide(promptOf({ instruction: "nope" }), createRuleBook(), { outcome: "completed", afterMs: null });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      expect(error).toMatchObject({ kind: "invalid" });
    }
  });
});
