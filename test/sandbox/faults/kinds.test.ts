import { expect, test } from "bun:test";
import { FAULT_MEMBERS, membersOfKinds } from "../../../sandbox/control/shapes/faults.ts";
import { disconnect } from "../../../sandbox/faults/disconnect.ts";
import { type AnyFaultKind, faultKind } from "../../../sandbox/faults/kind.ts";
import { FAULT_NAMES, FAULTS, fieldsOf } from "../../../sandbox/faults/kinds.ts";

/** A kind with one member. */
const having = (name: string): AnyFaultKind =>
  faultKind({ ...disconnect, members: ({ z }) => ({ [name]: z.string() }), inWords: () => "", check: () => {} });

test.each([
  [
    "that another kind has",
    { one: having("size"), other: having("size") },
    "the fault other has a member size, which one has",
  ],
  ["that every fault has", { one: having("path") }, "the fault one has a member path, which every fault has"],
])("a member belongs to one kind: one %s is refused", (_whose, kinds, message) => {
  expect(() => membersOfKinds(kinds)).toThrow(message);
});

test("each member has a description; what a kind needs and what the page offers are members of it", () => {
  expect(FAULT_MEMBERS.filter(({ schema }) => !schema.description)).toEqual([]);
  for (const kind of FAULT_NAMES) {
    const { needs = [] }: AnyFaultKind = FAULTS[kind];
    const own = FAULT_MEMBERS.filter((member) => member.kind === kind).map(({ name }) => name);
    for (const name of [...needs, ...Object.keys(fieldsOf(kind))]) expect(own).toContain(name);
  }
});
