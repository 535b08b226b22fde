import { describe, expect, test } from "bun:test";
import { assignSlots } from "../../../sandbox/console/browser/logic/slots.ts";

const idle = (phone: string) => ({ phone, openPrompts: 0, hasNote: false });
const rings = (phone: string) => ({ phone, openPrompts: 1, hasNote: false });
const noted = (phone: string) => ({ phone, openPrompts: 0, hasNote: true });

describe("which phones are shown", () => {
  test("none has been called: none", () => {
    expect(assignSlots([], [], null, 2)).toEqual([]);
  });

  test("the phones that ring, as many as there are places, the first ones first", () => {
    const phones = ["a", "b", "c"].map(rings);
    expect(assignSlots([], phones, null, 2)).toEqual(["a", "b"]);
    expect(assignSlots([], phones, null, 4)).toEqual(["a", "b", "c"]);
  });

  test("where none rings, the one that was shown, or the last that came into play", () => {
    expect(assignSlots([], [idle("a"), idle("b")], null, 3)).toEqual(["b"]);
    expect(assignSlots(["a"], [idle("a"), idle("b")], null, 3)).toEqual(["a"]);
  });

  test("a phone that rings keeps its place, whatever else begins to ring", () => {
    expect(assignSlots(["b"], [rings("a"), rings("b")], null, 2)).toEqual(["b", "a"]);
    expect(assignSlots(["b"], [rings("a"), rings("b")], null, 1)).toEqual(["b"]);
  });

  test("one that rings takes the place of one that only shows how a prompt went", () => {
    expect(assignSlots(["a", "b"], [noted("a"), rings("b"), rings("c")], null, 2)).toEqual(["c", "b"]);
  });

  test("one that has nothing more to show gives up its place", () => {
    expect(assignSlots(["a", "b"], [idle("a"), rings("b")], null, 2)).toEqual(["b"]);
  });

  test("a phone that a person picked is shown, and stays", () => {
    const phones = [rings("a"), rings("b"), rings("c")];
    const shown = assignSlots(["a", "b"], phones, "c", 2);
    expect(shown).toEqual(["a", "c"]);
    expect(assignSlots(shown, phones, "c", 1)).toEqual(["c"]);
  });
});
