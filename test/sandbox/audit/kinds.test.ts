import { expect, test } from "bun:test";
import { createFindingBook } from "../../../sandbox/audit/finding.ts";
import { FINDING_KINDS } from "../../../sandbox/audit/kinds.ts";
import { readDocument } from "../../support/documents.ts";

const PARTS = { error: "Errors", warning: "Warnings", note: "Notes" };

test.each(Object.entries(FINDING_KINDS))("docs/audit.md has %s with its severity and its section", (kind, facts) => {
  const parts = readDocument("docs/audit.md").text.split(/^## /m);
  const part = parts.find((text) => text.startsWith(PARTS[facts.severity]));
  expect(part).toContain(`\`${kind}\` (${facts.section})`);
});

test("findings are listed by severity, and those of equal severity by time, also those that only a report adds", () => {
  const book = createFindingBook();
  const mistake = (atMs: number) => ({ requestIds: [], payment: null, atMs, message: `${atMs}` });
  book.note("unknown_member", "a", 1, () => mistake(0));
  book.note("polls_too_fast", "a", 1, () => mistake(10));
  book.note("unknown_id", "a", 2, () => mistake(20));
  book.note("polls_too_fast", "b", 3, () => mistake(30));
  book.note("ignores_final", "a", 4, () => mistake(50));
  const silence = { kind: "never_polls", subject: "a", ...mistake(40) } as const;
  const order = book.list([silence]).map(({ kind, message }) => `${kind} ${message}`);
  expect(order).toEqual([
    ...["never_polls 40", "ignores_final 50", "polls_too_fast 10", "unknown_id 20", "polls_too_fast 30"],
    "unknown_member 0",
  ]);
});
