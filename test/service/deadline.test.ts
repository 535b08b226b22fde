import { afterEach, describe, expect, test } from "bun:test";
import { pay, statusOf } from "../support/caller.ts";
import { type Harness, type HarnessOptions, openHarness, START_MS } from "../support/harness.ts";

let harness: Harness;
afterEach(() => harness.close());

async function open(options: HarnessOptions = {}) {
  harness = openHarness(options);
  return harness.addCaller("Shop");
}

const EXPIRED = { status: "expired", resultCode: 1019, resultDesc: "Transaction has expired." };

describe("after the prompt timeout a payment is expired, whatever the network says or does not say", () => {
  test("one jump over both keeps what came first", async () => {
    const caller = await open();
    const inTime = await pay(harness, caller, { instruction: "completed; after=59s" });
    const late = await pay(harness, caller, { instruction: "completed; after=61s" });
    await harness.advance(3_600_000);
    expect(await statusOf(harness, caller, inTime)).toMatchObject({ completedAtMs: START_MS + 59_000 });
    expect(await statusOf(harness, caller, late)).toMatchObject(EXPIRED);
  });

  test("the prompt timeout is the one that the service was given", async () => {
    const caller = await open({ promptTimeoutMs: 5000 });
    const late = await pay(harness, caller, { instruction: "completed_late" });
    const inTime = await pay(harness, caller);
    await harness.advance(4999);
    expect((await statusOf(harness, caller, late)).status).toBe("pending");
    await harness.advance(1);
    expect(await statusOf(harness, caller, late)).toMatchObject(EXPIRED);
    expect(await statusOf(harness, caller, inTime)).toMatchObject({ status: "completed" });
  });
});
