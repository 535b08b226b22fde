import { describe, expect, test } from "bun:test";
import { endingOf, outcomeOfPhone, outcomesView, parseOutcomeName } from "../../../sandbox/network/outcomes.ts";
import { Refusal } from "../../../src/domain/error.ts";
import { parsePhone } from "../../../src/domain/phone.ts";

/** The README's table: name, status, code, test phone, default `after`. */
const DOCUMENTED = [
  ["completed", "completed", 0, "254700000000", "3s"],
  ["completed_late", "completed", 0, "254700000030", "30s"],
  ["insufficient_funds", "failed", 1, "254700000001", "3s"],
  ["over_limit", "failed", 3, "254700000003", "3s"],
  ["rule_limited", "failed", 17, "254700000017", "3s"],
  ["push_error", "failed", 1025, "254700000025", "3s"],
  ["unreachable", "failed", 1037, "254700000037", "15s"],
  ["wrong_pin", "failed", 2001, "254700000201", "3s"],
  ["pin_locked", "failed", 8006, "254700000806", "3s"],
  ["cancelled", "cancelled", 1032, "254700000032", "3s"],
  ["expired", "expired", 1019, "254700000019", "prompt lifetime"],
  ["silent", "expired", 1019, "254700000099", "never"],
  ["refused", null, null, "254700000500", null],
  ["manual", null, null, "254700000100", null],
] as const;

describe("the table of outcomes", () => {
  test("is the README's: names, statuses, codes, test phones and times, in this order", () => {
    const rows = outcomesView().map(({ name, status, code, phone, after }) => [name, status, code, phone, after]);
    expect(rows as unknown[]).toEqual(DOCUMENTED.map((row) => [...row]));
  });

  test("what the code does is what the table shows", () => {
    const milliseconds = { "3s": 3000, "15s": 15_000, "30s": 30_000 } as const;
    for (const [name, status, code, , after] of DOCUMENTED) {
      const ending = endingOf(name);
      if (ending.by === "network") {
        const afterMs = milliseconds[after as keyof typeof milliseconds] ?? null;
        expect<unknown>(ending).toEqual({ by: "network", status, code, afterMs });
      } else {
        expect<string>(ending.by).toBe(
          { silent: "deadline", refused: "refusal", manual: "hand" }[name as string] ?? "-",
        );
      }
    }
  });

  test("each outcome has a line for people, of its own", () => {
    expect(new Set(outcomesView().map(({ meaning }) => meaning)).size).toBe(DOCUMENTED.length);
  });
});

describe("a test phone always goes the same way", () => {
  test.each(DOCUMENTED)("%s", (name, _status, _code, phone) => {
    expect(outcomeOfPhone(parsePhone(phone))).toBe(name);
    expect(outcomeOfPhone(parsePhone(`0${phone.slice(3)}`))).toBe(name);
  });

  test("no other number is one", () => {
    for (const phone of ["254700000002", "254712345678", "254100000000", "254700000501"]) {
      expect(outcomeOfPhone(parsePhone(phone))).toBeNull();
    }
  });
});

describe("an outcome is called by its name", () => {
  test("every name is known", () => {
    for (const [name] of DOCUMENTED) expect(parseOutcomeName(name, "--outcome")).toBe(name);
  });

  test.each(["", "COMPLETED", "success", "completed ", "toString", "constructor", "__proto__"])(
    "%p is none, and the refusal lists the names",
    (text) => {
      expect(() => parseOutcomeName(text, "--outcome")).toThrow(Refusal);
      expect(() => parseOutcomeName(text, "--outcome")).toThrow(
        `--outcome is not the name of an outcome; the names are ${DOCUMENTED.map(([name]) => name).join(", ")}`,
      );
    },
  );
});
