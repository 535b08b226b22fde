import { describe, expect, test } from "bun:test";
import { parseChoice } from "../../../sandbox/network/choice.ts";
import { Refusal } from "../../../src/domain/error.ts";

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

  const NO_NAME = `${HEADER} is not the name of an outcome; the names are completed, `;
  const NO_FORM = `${HEADER} must be NAME or NAME; after=DURATION, such as completed; after=10s`;
  const NO_DURATION = `after in ${HEADER} is not a duration up to 24h: write it as 250ms, 3s, 2m or 1h`;
  test.each([
    ["", NO_NAME],
    ["Completed", NO_NAME],
    [";after=3s", NO_NAME],
    ["completed,cancelled", NO_NAME],
    ["completed after=3s", NO_NAME],
    ["completed;", NO_FORM],
    ["completed; later=3s", NO_FORM],
    ["completed; after", NO_FORM],
    ["completed; after=", NO_FORM],
    ["completed; after=3s;", NO_FORM],
    ["completed; after=3s; after=4s", NO_FORM],
    ["completed; AFTER=3s", NO_FORM],
    ["completed; after=3 s", NO_FORM],
    ["completed; after=3", NO_DURATION],
    ["completed; after=25h", NO_DURATION],
    ["silent; after=3s", `after in ${HEADER} has no meaning with silent: leave it out`],
    ["manual; after=3s", `after in ${HEADER} has no meaning with manual: leave it out`],
    ["refused; after=3s", `after in ${HEADER} has no meaning with refused: leave it out`],
  ])("%p is refused", (text, message) => {
    expect(() => parseChoice(text, HEADER)).toThrow(Refusal);
    expect(() => parseChoice(text, HEADER)).toThrow(message);
  });
});
