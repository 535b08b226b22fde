import { afterEach, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import { pay, statusOf } from "../support/caller.ts";
import { useFolder } from "../support/folder.ts";
import { type Caller, type Harness, openHarness, START_MS } from "../support/harness.ts";

const inFolder = useFolder();
const open: Harness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.close();
});

function start(file: string, startMs: number): Harness {
  const harness = openHarness({ file, startMs, fallback: { outcome: "cancelled", afterMs: 1 } });
  open.push(harness);
  return harness;
}

async function stop(harness: Harness): Promise<void> {
  open.splice(open.indexOf(harness), 1);
  await harness.close();
}

const AFTER: Record<string, number> = { "3s": 3000, "15s": 15_000, "30s": 30_000 };
const OUTCOMES = outcomesView().filter(({ name }) => name !== "refused");

async function payEach(harness: Harness, caller: Caller) {
  return Promise.all(
    OUTCOMES.map(async (outcome) => ({
      outcome,
      started: await pay(harness, caller, { instruction: outcome.name }),
    })),
  );
}

/** Each payment in its right state at `afterMs`, with the time at which it happened and not the time of the look. */
async function expectAll(
  harness: Harness,
  caller: Caller,
  payments: Awaited<ReturnType<typeof payEach>>,
  afterMs: number,
) {
  for (const { outcome, started } of payments) {
    const happenedMs = AFTER[outcome.after ?? ""] ?? 60_000;
    const transaction = await statusOf(harness, caller, started);
    if (happenedMs > afterMs) {
      expect(transaction).toEqual(started);
      continue;
    }
    expect<unknown>([outcome.name, transaction.status]).toEqual([outcome.name, outcome.status ?? "expired"]);
    expect<unknown>(transaction).toMatchObject({ resultCode: outcome.code ?? 1019 });
    if (transaction.status === "completed") expect(transaction.completedAtMs).toBe(START_MS + happenedMs);
  }
}

describe("nothing is lost by a restart", () => {
  test.each([1, 3000, 20_000, 86_400_000])("%p ms later, each payment is what it would have been", async (laterMs) => {
    const file = inFolder("momo.db");
    const before = start(file, START_MS);
    const caller = await before.addCaller("Shop");
    const payments = await payEach(before, caller);
    await stop(before);

    const after = start(file, START_MS + laterMs);
    await after.service.resolver.resolveDue();
    await expectAll(after, caller, payments, laterMs);
    await after.advance(60_000);
    await expectAll(after, caller, payments, laterMs + 60_000);
    expect(after.faults).toEqual([]);
  });

  test("an answered payment is on disk: what a killed process leaves behind has them all", async () => {
    const running = start(inFolder("momo.db"), START_MS);
    const caller = await running.addCaller("Shop");
    const payments = await payEach(running, caller);
    await running.advance(15_000);
    // What is on disk at this moment, without the close that a killed process never comes to.
    for (const suffix of ["", "-wal"]) copyFileSync(inFolder(`momo.db${suffix}`), inFolder(`left.db${suffix}`));

    const after = start(inFolder("left.db"), START_MS + 15_000);
    await expectAll(after, caller, payments, 15_000);
    await after.advance(45_000);
    await expectAll(after, caller, payments, 60_000);
  });

  test("what was final stays as it was, code and receipt too", async () => {
    const file = inFolder("momo.db");
    const before = start(file, START_MS);
    const caller = await before.addCaller("Shop");
    const started = await pay(before, caller, { instruction: "completed" });
    await before.advance(3000);
    const final = await statusOf(before, caller, started);
    await stop(before);
    const after = start(file, START_MS + 86_400_000);
    await after.service.resolver.resolveDue();
    expect(final.status).toBe("completed");
    expect(await statusOf(after, caller, started)).toEqual(final);
  });
});
