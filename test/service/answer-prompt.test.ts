import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { pay, statusOf } from "../support/caller.ts";
import { type Caller, type Harness, openHarness, START_MS } from "../support/harness.ts";
import { paidAt } from "../support/payments.ts";
import { rejectionOf } from "../support/rejection.ts";

let harness: Harness;
let caller: Caller;
beforeEach(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
});
afterEach(() => harness.close());

const paid = paidAt(START_MS + 1, "RECEIPT1");
const cancelled: Outcome = { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: START_MS + 1 };
const answer = (id: string, outcome: Outcome) => harness.service.answerPrompt(id, () => outcome);

describe("the first outcome wins, a later one changes nothing", () => {
  test("an answer is in force when the call returns", async () => {
    const { checkoutRequestId } = await pay(harness, caller, { instruction: "manual" });
    const final = await answer(checkoutRequestId, paid);
    expect(final).toMatchObject({ status: "completed", receiptNumber: "RECEIPT1", completedAtMs: START_MS + 1 });
    expect(await statusOf(harness, caller, { checkoutRequestId })).toEqual(final);
    await harness.advance(3_600_000);
    expect(await statusOf(harness, caller, { checkoutRequestId })).toEqual(final);
  });

  test("an answer comes before the outcome that was to come", async () => {
    const { checkoutRequestId } = await pay(harness, caller);
    await answer(checkoutRequestId, cancelled);
    await harness.advance(3000);
    expect((await statusOf(harness, caller, { checkoutRequestId })).status).toBe("cancelled");
  });

  test("an answer to a payment that is final is refused", async () => {
    const started = await pay(harness, caller);
    await harness.advance(3000);
    const final = await statusOf(harness, caller, started);
    expect(await rejectionOf(answer(started.checkoutRequestId, cancelled))).toMatchObject({ kind: "conflict" });
    expect(await statusOf(harness, caller, started)).toEqual(final);
  });

  test("of many answers at once, one is taken, and it alone is told of", async () => {
    const { checkoutRequestId } = await pay(harness, caller, { instruction: "manual" });
    const told: Transaction[] = [];
    harness.service.subscribe((transaction) => told.push(transaction));
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => answer(checkoutRequestId, index % 2 ? cancelled : paid)),
    );
    const taken = answers.filter(({ status }) => status === "fulfilled");
    expect(taken).toHaveLength(1);
    expect(await statusOf(harness, caller, { checkoutRequestId })).toEqual((taken[0] as { value: Transaction }).value);
    expect(told).toEqual([(taken[0] as { value: Transaction }).value]);
  });

  test("an answer after the deadline is refused, even where nobody has written that yet, and it says the same", async () => {
    const started = await pay(harness, caller, { instruction: "manual" });
    harness.clock.advance(60_000);
    const late = answer(started.checkoutRequestId, { ...cancelled, status: "expired", atMs: START_MS + 60_000 });
    expect(await rejectionOf(late)).toMatchObject({ kind: "conflict" });
    expect(await statusOf(harness, caller, started)).toMatchObject({ status: "expired", resultCode: 1019 });
  });

  test("the deadline passes while the answer is given: it is refused, and the payment expires", async () => {
    const started = await pay(harness, caller, { instruction: "manual" });
    const late = harness.service.answerPrompt(started.checkoutRequestId, () => {
      harness.clock.advance(60_000);
      return paidAt(START_MS + 60_000, "RECEIPT1");
    });
    expect(await rejectionOf(late)).toMatchObject({ kind: "conflict" });
    expect(await statusOf(harness, caller, started)).toMatchObject({ status: "expired", resultCode: 1019 });
  });

  test("a prompt that nobody knows is not found", async () => {
    expect(await rejectionOf(answer("ws_CO_0_0", paid))).toMatchObject({ kind: "not_found" });
  });
});

test("each transaction is told of as it starts and as it ends, once, after it is on disk", async () => {
  const told: [string, string][] = [];
  const stop = harness.service.subscribe(({ checkoutRequestId, status }) => told.push([checkoutRequestId, status]));
  const a = (await pay(harness, caller)).checkoutRequestId;
  const b = (await pay(harness, caller, { instruction: "manual" })).checkoutRequestId;
  await harness.advance(3000);
  await answer(b, cancelled);
  await answer(b, cancelled).catch(() => null);
  await harness.advance(3_600_000);
  stop();
  await pay(harness, caller);
  expect(told).toEqual([
    [a, "pending"],
    [b, "pending"],
    [a, "completed"],
    [b, "cancelled"],
  ]);
});
