import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { type Caller, type Harness, openHarness, pay, START_MS, statusOf } from "../support/harness.ts";
import { paidAt } from "../support/payments.ts";
import { rejectionOf } from "../support/waiting.ts";

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
const EXPIRED = { status: "expired", resultCode: 1019 };

describe("the first outcome wins, and a later one changes nothing", () => {
  test("an answer is in force when the call returns, and stays", async () => {
    const started = await pay(harness, caller);
    const final = await answer(started.checkoutRequestId, paid);
    expect(final).toMatchObject({ status: "completed", receiptNumber: "RECEIPT1", completedAtMs: START_MS + 1 });
    expect(await statusOf(harness, caller, started)).toEqual(final);
    await harness.advance(3_600_000);
    expect(await statusOf(harness, caller, started)).toEqual(final);
  });

  test("an answer to a final payment is refused", async () => {
    const started = await pay(harness, caller);
    await harness.advance(3000);
    const final = await statusOf(harness, caller, started);
    expect(await rejectionOf(answer(started.checkoutRequestId, cancelled))).toMatchObject({ kind: "conflict" });
    expect(await statusOf(harness, caller, started)).toEqual(final);
  });

  test("of many answers at once, one counts, and only this one is announced", async () => {
    const started = await pay(harness, caller, { instruction: "manual" });
    const announced: Transaction[] = [];
    harness.service.subscribe((transaction) => announced.push(transaction));
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => answer(started.checkoutRequestId, index % 2 ? cancelled : paid)),
    );
    const accepted = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(accepted).toEqual([await statusOf(harness, caller, started)]);
    expect(announced).toEqual(accepted);
  });

  test("an answer after the deadline is refused, also if nothing was written yet and the outcome is the same", async () => {
    const started = await pay(harness, caller, { instruction: "manual" });
    harness.clock.advance(60_000);
    const late = answer(started.checkoutRequestId, { ...cancelled, status: "expired", atMs: START_MS + 60_000 });
    expect(await rejectionOf(late)).toMatchObject({ kind: "conflict" });
    expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
  });

  test("if the deadline passes during the answer, it is refused, and the payment expires", async () => {
    const started = await pay(harness, caller, { instruction: "manual" });
    const late = harness.service.answerPrompt(started.checkoutRequestId, () => {
      harness.clock.advance(60_000);
      return paidAt(START_MS + 60_000, "RECEIPT1");
    });
    expect(await rejectionOf(late)).toMatchObject({ kind: "conflict" });
    expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
  });

  test("if the payment becomes due during the answer, the answer counts, and only it is announced", async () => {
    const started = await pay(harness, caller);
    const announced: Transaction[] = [];
    harness.service.subscribe((transaction) => announced.push(transaction));
    let round = Promise.resolve();
    const final = await harness.service.answerPrompt(started.checkoutRequestId, () => {
      round = harness.advance(3000);
      return cancelled;
    });
    await round;
    expect(announced).toEqual([final]);
  });

  test("an unknown prompt is not found", async () => {
    expect(await rejectionOf(answer("ws_CO_0_0", paid))).toMatchObject({ kind: "not_found" });
  });
});

test("each transaction is announced once when it starts and once when it ends", async () => {
  const announced: string[] = [];
  const stop = harness.service.subscribe(({ id, status }) => announced.push(`${id} ${status}`));
  await pay(harness, caller);
  const { checkoutRequestId } = await pay(harness, caller, { instruction: "manual" });
  await harness.advance(3000);
  await answer(checkoutRequestId, cancelled);
  await rejectionOf(answer(checkoutRequestId, cancelled));
  await harness.advance(3_600_000);
  stop();
  await pay(harness, caller);
  expect(announced).toEqual(["1 pending", "2 pending", "1 completed", "2 cancelled"]);
});
