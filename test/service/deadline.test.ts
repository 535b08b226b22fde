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
  test.each(["silent", "manual", "expired"])("%s: expired at 60 s with 1019", async (instruction) => {
    const caller = await open();
    const started = await pay(harness, caller, { instruction });
    await harness.advance(59_999);
    expect((await statusOf(harness, caller, started)).status).toBe("pending");
    await harness.advance(1);
    expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
  });

  test.each(["completed; after=60s", "completed; after=61s", "wrong_pin; after=1h", "cancelled; after=24h"])(
    "%s comes too late",
    async (instruction) => {
      const caller = await open();
      const started = await pay(harness, caller, { instruction });
      await harness.advance(60_000);
      expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
      await harness.advance(86_400_000);
      expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
    },
  );

  test("the last millisecond before the deadline is in time", async () => {
    const caller = await open();
    const started = await pay(harness, caller, { instruction: "completed; after=59999ms" });
    await harness.advance(59_999);
    expect(await statusOf(harness, caller, started)).toMatchObject({
      status: "completed",
      completedAtMs: START_MS + 59_999,
    });
  });

  test("one jump over both keeps what came first", async () => {
    const caller = await open();
    const inTime = await pay(harness, caller, { instruction: "completed; after=59s" });
    const late = await pay(harness, caller, { instruction: "completed; after=61s" });
    await harness.advance(3_600_000);
    expect(await statusOf(harness, caller, inTime)).toMatchObject({ completedAtMs: START_MS + 59_000 });
    expect(await statusOf(harness, caller, late)).toMatchObject(EXPIRED);
  });

  test.each(["wrong_pin; after=60s", "cancelled; after=61s", "completed; after=60s"])(
    "%s is too late also where the service asks later still",
    async (instruction) => {
      const caller = await open();
      const started = await pay(harness, caller, { instruction });
      await harness.advance(3_600_000);
      expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
    },
  );

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
