import { describe, expect, test } from "bun:test";
import { assignChips, choosePhone } from "../../../sandbox/console/browser/logic/slots.ts";

const idle = (phone: string) => ({ phone, openPrompts: 0, hasNote: false });
const rings = (phone: string) => ({ phone, openPrompts: 1, hasNote: false });
const noted = (phone: string) => ({ phone, openPrompts: 0, hasNote: true });

describe("which phone is on the handset", () => {
  test("none has been called: none; none rings: the one that was shown, or the last that came into play", () => {
    expect(choosePhone(null, [], null, null)).toBeNull();
    expect(choosePhone(null, [idle("a"), idle("b")], null, null)).toBe("b");
    expect(choosePhone("a", [idle("a"), idle("b")], null, null)).toBe("a");
  });

  test("the first that rings, for as long as it rings, whatever else begins to", () => {
    expect(choosePhone("a", [idle("a"), rings("b"), rings("c")], null, null)).toBe("b");
    expect(choosePhone("c", [idle("a"), rings("b"), rings("c")], null, null)).toBe("c");
  });

  test("one whose prompt has just ended stays a little longer, so that its end can be read", () => {
    expect(choosePhone("a", [noted("a"), rings("b")], null, "a")).toBe("a");
    expect(choosePhone("a", [noted("a"), rings("b")], null, null)).toBe("b");
  });

  test("one that a person picked, before all others", () => {
    expect(choosePhone("a", [rings("a"), idle("b")], "b", "a")).toBe("b");
  });
});

describe("which phones have a chip beside it", () => {
  test("those that ring first, then those with a note, then the last ones", () => {
    expect(assignChips([], ["a", "b", "c"].map(idle), 2)).toEqual(["c", "b"]);
    expect(assignChips([], [rings("a"), noted("b"), idle("c")], 2)).toEqual(["a", "b"]);
    expect(assignChips([], [rings("a")], 3)).toEqual(["a", null, null]);
  });

  test("a chip keeps its place, whatever comes and goes beside it", () => {
    expect(assignChips(["a", "b", "c"], [rings("d"), rings("c"), idle("a")], 3)).toEqual(["a", "d", "c"]);
    expect(assignChips(["a", "b"], [rings("a"), rings("b"), rings("c")], 2)).toEqual(["a", "b"]);
    expect(assignChips(["a", "b"], [idle("a"), rings("b"), rings("c")], 2)).toEqual(["c", "b"]);
  });
});
