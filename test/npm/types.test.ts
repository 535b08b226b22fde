import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { declarations } from "../../scripts/release/declarations.ts";
import { ROOT } from "../support/binary.ts";
import { cleanUp, useFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

const inFolder = useFolder();
const NPM = join(ROOT, "npm");
const TSC = join(ROOT, "node_modules/.bin/tsc");

/** Both ways, so that a member that is missing, or has another type, is an error. */
const COMPARED = `import type * as published from "./testing.mts";
import type * as own from "${NPM}/records.ts";

type Same<A, B> = [A, B] extends [B, A] ? ([keyof A, keyof B] extends [keyof B, keyof A] ? true : never) : never;
export const same: [
  Same<published.OutcomeName, own.OutcomeName>, Same<published.Status, own.Status>,
  Same<published.RuleInput, own.RuleInput>, Same<published.FaultInput, own.FaultInput>,
  Same<published.WebhookInput, own.WebhookInput>, Same<published.TransactionRecord, own.TransactionRecord>,
  Same<published.RequestRecord, own.RequestRecord>, Same<published.DeliveryRecord, own.DeliveryRecord>,
  Same<published.Finding, own.Finding>, Same<published.AuditReport, own.AuditReport>,
  Same<published.Issue, own.Issue>,
] = [true, true, true, true, true, true, true, true, true, true, true];
`;

test("the published types import nothing, and are those of the program", async () => {
  const text = declarations(readFileSync(join(NPM, "test-sandbox.ts"), "utf8"));
  expect(text).not.toMatch(/^import /m);
  expect(text).toContain("/** A mistake of the client under test. */\nexport type Finding = {\n  readonly kind:");
  expect(text).toContain("  /** what would be right */\n  readonly advice: string;");
  writeFileSync(inFolder("testing.d.mts"), text);
  writeFileSync(inFolder("compared.mts"), COMPARED);
  const flags = ["--ignoreConfig", "--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "preserve"];
  const more = ["--target", "esnext", "--allowImportingTsExtensions", "--skipLibCheck", "--types", "bun-types"];
  const checked = await runToEnd([TSC, ...flags, ...more, inFolder("compared.mts")], { cwd: join(NPM, "..") });
  expect(checked).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});
