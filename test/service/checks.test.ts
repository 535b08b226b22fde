import { expect, test } from "bun:test";
import type { NotYet } from "../../src/domain/provider.ts";
import { createChecks, MAX_CHECKS } from "../../src/service/checks.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { createProvider } from "../support/manual-service.ts";
import { CREATED_AT_MS, pendingOf } from "../support/payments.ts";
import { nextTurn } from "../support/waiting.ts";

test("10,000 checks can be in flight; others wait until one is answered or dropped; answers to dropped ones do not count", async () => {
  const nowMs = CREATED_AT_MS + 3000;
  const clock = createManualClock(nowMs);
  const questions: ((answer: NotYet) => void)[] = [];
  const provider = createProvider(() => {
    const { promise, resolve } = Promise.withResolvers<NotYet>();
    questions.push(resolve);
    return promise;
  });
  const checks = createChecks({
    provider,
    clock,
    reportFault: (error) => expect(error).toBeNull(),
    onLateAnswer: () => {},
  });
  const due = Array.from({ length: MAX_CHECKS + 20 }, () => pendingOf());
  const run = () => {
    const answers = checks.run(due, nowMs);
    clock.advance(0);
    return answers;
  };

  expect(await run()).toEqual([]);
  expect(questions.length).toBe(MAX_CHECKS);
  for (const { id } of due.slice(7, 10)) checks.drop(id);
  for (const answer of questions.slice(0, 10)) answer({ status: "pending", checkAtMs: nowMs + 5000 });
  await nextTurn();
  expect(await run()).toHaveLength(7);
  expect(questions.length).toBe(MAX_CHECKS + 3);
  expect(await run()).toEqual([]);
  expect(questions.length).toBe(MAX_CHECKS + 10);
});
