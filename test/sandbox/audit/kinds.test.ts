import { expect, test } from "bun:test";
import { FINDING_KINDS } from "../../../sandbox/audit/kinds.ts";
import { readDocument } from "../../support/documents.ts";

const PARTS = { error: "Errors", warning: "Warnings", note: "Notes" };

test.each(Object.entries(FINDING_KINDS))("docs/audit.md has %s with its severity and its section", (kind, facts) => {
  const parts = readDocument("docs/audit.md").text.split(/^## /m);
  const part = parts.find((text) => text.startsWith(PARTS[facts.severity]));
  expect(part).toContain(`\`${kind}\` (${facts.section})`);
});
