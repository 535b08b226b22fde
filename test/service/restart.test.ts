import { afterEach, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import { useFolder } from "../support/cleanup.ts";
import { type Caller, type Harness, openHarness, pay, START_MS, statusOf } from "../support/harness.ts";

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

const AFTER: Record<string, number> = { "3s": 3000, "15s": 15_000, "30s": 30_000 };

/** Starts a payment with each outcome. */
function payEach(harness: Harness, caller: Caller) {
  const outcomes = outcomesView().filter(({ name }) => name !== "refused");
  return Promise.all(
    outcomes.map(async (outcome) => ({ outcome, started: await pay(harness, caller, { instruction: outcome.name }) })),
  );
}
type Payments = Awaited<ReturnType<typeof payEach>>;

/** Expects each payment in its state at `afterMs`, with the time at which it was paid. */
async function expectAll(harness: Harness, caller: Caller, payments: Payments, afterMs: number) {
  for (const { outcome, started } of payments) {
    const endsAfterMs = AFTER[outcome.after ?? ""] ?? 60_000;
    const transaction = await statusOf(harness, caller, started);
    if (endsAfterMs > afterMs) {
      expect(transaction).toEqual(started);
      continue;
    }
    expect<unknown>([outcome.name, transaction.status]).toEqual([outcome.name, outcome.status ?? "expired"]);
    expect<unknown>(transaction).toMatchObject({ resultCode: outcome.code ?? 1019 });
    if (transaction.status === "completed") expect(transaction.completedAtMs).toBe(START_MS + endsAfterMs);
  }
}

test.each([1, 20_000, 86_400_000])(
  "a start %p ms later finds each payment as if nothing had stopped",
  async (laterMs) => {
    const before = start(inFolder("momo.db"), START_MS);
    const caller = await before.addCaller("Shop");
    const payments = await payEach(before, caller);
    await before.close();
    open.pop();

    const after = start(inFolder("momo.db"), START_MS + laterMs);
    await after.service.resolver.resolveDue();
    await expectAll(after, caller, payments, laterMs);
    await after.advance(60_000);
    await expectAll(after, caller, payments, laterMs + 60_000);
    expect(after.faults).toEqual([]);
  },
);

test("what was answered is on disk, also if the process is killed", async () => {
  const running = start(inFolder("momo.db"), START_MS);
  const caller = await running.addCaller("Shop");
  const payments = await payEach(running, caller);
  await running.advance(15_000);
  const answered = await Promise.all(payments.map(({ started }) => statusOf(running, caller, started)));
  // The files as a killed process leaves them.
  for (const suffix of ["", "-wal"]) copyFileSync(inFolder(`momo.db${suffix}`), inFolder(`left.db${suffix}`));

  const after = start(inFolder("left.db"), START_MS + 15_000);
  expect(await Promise.all(payments.map(({ started }) => statusOf(after, caller, started)))).toEqual(answered);
  await after.advance(45_000);
  await expectAll(after, caller, payments, 60_000);
});
