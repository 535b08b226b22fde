import { expect, test } from "bun:test";
import { assignChips, choosePhone, type PhoneState } from "../../../sandbox/console/browser/logic/slots.ts";

const idle = (phone: string) => ({ phone, openPrompts: 0, hasNote: false });
const rings = (phone: string) => ({ phone, openPrompts: 1, hasNote: false });
const noted = (phone: string) => ({ phone, openPrompts: 0, hasNote: true });

type Phone = string | null;
const HANDSET: [name: string, shown: Phone, phones: PhoneState[], picked: Phone, held: Phone, next: Phone][] = [
  ["there are no phones", null, [], null, null, null],
  ["none rings: the last one", null, [idle("a"), idle("b")], null, null, "b"],
  ["none rings: the shown one stays", "a", [idle("a"), idle("b")], null, null, "a"],
  ["the first one that rings", "a", [idle("a"), rings("b"), rings("c")], null, null, "b"],
  ["the shown one, while it rings", "c", [idle("a"), rings("b"), rings("c")], null, null, "c"],
  ["the shown one, while it is held to show the end", "a", [noted("a"), rings("b")], null, "a", "a"],
  ["the held time is over", "a", [noted("a"), rings("b")], null, null, "b"],
  ["the picked one, before all others", "a", [rings("a"), idle("b")], "b", "a", "b"],
];
test.each(HANDSET)("the phone on the handset: %s", (_, shown, phones, picked, held, next) => {
  expect(choosePhone(shown, phones, picked, held)).toBe(next);
});

const CHIPS: [name: string, before: Phone[], phones: PhoneState[], chips: Phone[]][] = [
  ["the last ones, if none rings", [], [idle("a"), idle("b"), idle("c")], ["c", "b"]],
  ["those that ring, then those with a note", [], [rings("a"), noted("b"), idle("c")], ["a", "b"]],
  ["empty places", [], [rings("a")], ["a", null]],
  ["a phone keeps its place", ["a", "b", "c"], [rings("d"), rings("c"), idle("a")], ["a", "d", "c"]],
  ["also if another one begins to ring", ["a", "b"], [rings("a"), rings("b"), rings("c")], ["a", "b"]],
  ["an idle one makes room", ["a", "b"], [idle("a"), rings("b"), rings("c")], ["c", "b"]],
];
test.each(CHIPS)("the phones beside it: %s", (_, before, phones, chips) => {
  expect(assignChips(before, phones, chips.length)).toEqual(chips);
});
