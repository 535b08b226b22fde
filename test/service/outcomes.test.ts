import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import { RESULT_CODES } from "../../src/domain/result-codes.ts";
import { pay, statusOf } from "../support/caller.ts";
import { type Caller, type Harness, openHarness, START_MS } from "../support/harness.ts";

let harness: Harness;
let caller: Caller;
beforeEach(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
});
afterEach(async () => {
  await harness.close();
  expect(harness.faults).toEqual([]);
});

const AFTER: Record<string, number> = { "3s": 3000, "15s": 15_000, "30s": 30_000 };
/** What is known of each outcome: the state it ends in, the code, and when. */
const ENDINGS = outcomesView()
  .filter(({ name }) => name !== "refused")
  .map(({ name, status, code, after }) => ({
    name,
    status: status ?? "expired",
    code: (code ?? 1019) as keyof typeof RESULT_CODES,
    afterMs: AFTER[after ?? ""] ?? 60_000,
  }));

describe("each outcome ends in its state with its code, at its instant and not a millisecond earlier", () => {
  test.each(ENDINGS)("$name by header: $status, $code", async ({ name, status, code, afterMs }) => {
    const started = await pay(harness, caller, { instruction: name });
    await harness.advance(afterMs - 1);
    expect(await statusOf(harness, caller, started)).toEqual(started);
    await harness.advance(1);
    expect<unknown>(await statusOf(harness, caller, started)).toMatchObject({
      status,
      resultCode: code,
      resultDesc: RESULT_CODES[code],
    });
  });
});

describe("codes, receipt and time of completion", () => {
  test("are set when the payment completes, never earlier", async () => {
    const started = await pay(harness, caller);
    await harness.advance(2999);
    const before = await statusOf(harness, caller, started);
    for (const member of ["transactionCode", "receiptNumber", "completedAtMs", "resultCode", "resultDesc"]) {
      expect(before).not.toHaveProperty(member);
    }
    await harness.advance(1);
    expect(await statusOf(harness, caller, started)).toMatchObject({
      status: "completed",
      transactionCode: expect.stringMatching(/^[0-9A-Z]{12}$/),
      receiptNumber: expect.stringMatching(/^UKK[0-9A-Z]{7}$/),
      completedAtMs: START_MS + 3000,
      resultCode: 0,
    });
  });
});

test("how often a client polls changes nothing", async () => {
  const started = await pay(harness, caller);
  for (let poll = 0; poll < 50; poll++) expect(await statusOf(harness, caller, started)).toEqual(started);
  await harness.advance(3000);
  const final = await statusOf(harness, caller, started);
  await harness.advance(3_600_000);
  expect(await statusOf(harness, caller, started)).toEqual(final);
});

test("a payment that takes no time at all is completed by the next look of the service", async () => {
  const started = await pay(harness, caller, { instruction: "completed; after=0s" });
  await harness.service.resolver.settle();
  expect(await statusOf(harness, caller, started)).toMatchObject({ status: "completed", completedAtMs: START_MS });
});
