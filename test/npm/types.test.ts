import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as published from "momo-sandbox/testing";
import type { Finding } from "../../sandbox/audit/finding.ts";
import type { FaultInput } from "../../sandbox/control/faults.ts";
import type { RuleInput } from "../../sandbox/control/rules.ts";
import type { AuditOnWire, LoggedCall } from "../../sandbox/control/shapes/requests.ts";
import type { DeliveryOnWire } from "../../sandbox/control/shapes/webhook.ts";
import type { WebhookInput } from "../../sandbox/control/webhook.ts";
import { OUTCOMES, type OutcomeName } from "../../sandbox/network/outcomes.ts";
import type { TransactionOnWire } from "../../src/http/answers.ts";

/**
 * The published types are written out, because they import nothing. Here tsc compares them with the program's own. What the server
 * answers fits the published record, both have the same members, and what a test may write is what the server accepts.
 */
type SameMembers<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? true : never;

const answered: [
  SameMembers<TransactionOnWire, published.TransactionRecord>,
  SameMembers<LoggedCall, published.RequestRecord>,
  SameMembers<DeliveryOnWire, published.DeliveryRecord>,
  SameMembers<Finding, published.Finding>,
  SameMembers<Omit<AuditOnWire, "replica">, published.AuditReport>,
  SameMembers<RuleInput, published.RuleInput>,
  SameMembers<FaultInput, published.FaultInput>,
  SameMembers<WebhookInput, published.WebhookInput>,
  SameMembers<Record<OutcomeName, 0>, Record<published.OutcomeName, 0>>,
] = [true, true, true, true, true, true, true, true, true];

const transaction = (record: TransactionOnWire): published.TransactionRecord => record;
const call = (record: LoggedCall): published.RequestRecord => record;
const delivery = (record: DeliveryOnWire): published.DeliveryRecord => record;
const finding = (record: Finding): published.Finding => record;
const report = (record: AuditOnWire): published.AuditReport => record;
const rule = (input: published.RuleInput): RuleInput => input;
const fault = (input: published.FaultInput): FaultInput => input;
const webhook = (input: published.WebhookInput): WebhookInput => input;

test("the published types are those of the program, and the file that holds them imports nothing", () => {
  expect(answered.every(Boolean)).toBe(true);
  expect([transaction, call, delivery, finding, report, rule, fault, webhook]).toHaveLength(8);
  const text = readFileSync(join(import.meta.dir, "../../npm/test-sandbox.ts"), "utf8");
  expect(text).not.toMatch(/^import /m);
  for (const { name } of OUTCOMES) expect(text).toContain(`"${name}"`);
});
