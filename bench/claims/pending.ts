import { type Bench, type Claim, newData, rowsText } from "../support/bench.ts";
import { compare, type Line, leftOut } from "../support/line.ts";
import { payments } from "../support/load.ts";
import { loadPending } from "../support/loader.ts";
import { knowsProcesses, residentMb } from "../support/machine.ts";
import { control, databaseIn, pay, type RunningMomo, startMomo } from "../support/servers.ts";
import { quantile, timed } from "../support/statistics.ts";

const YEAR_MS = 365 * 86_400_000;
const QUIET_MS = 1500;

/** The cost of pending prompts, and how late the outcomes of other prompts are under load. */
export const pending: Claim = async (bench) => {
  const { startSize: count } = bench;
  const data = await newData(bench, "pending");
  const without = await memoryOf(bench, data);
  bench.progress(`loading ${rowsText(count)}, all pending`);
  const nowMs = Date.now();
  loadPending(databaseIn(data), count, { nowMs, dueMs: nowMs + YEAR_MS });
  const withThem = await memoryOf(bench, data);
  const lines: Line[] = [
    knowsProcesses()
      ? compare({
          claim: `idle: memory with ${count.toLocaleString("en")} pending`,
          unit: "MB",
          momo: [withThem],
          limit: [without],
          against: "none pending",
          goal: "1.0",
        })
      : leftOut("idle: memory with pending", "needs /proc"),
  ];

  const momo = await startMomo(bench.programs, data, ["--outcome", "manual"]);
  const load = payments(momo, bench.seconds + 1);
  const latenesses = await Promise.all(Array.from({ length: 100 }, (_, turn) => lateness(momo, 10 * turn)));
  await load;
  await momo.stop();
  lines.push(
    compare({
      claim: "lateness of a due prompt, p99, under payment load",
      unit: "ms",
      momo: [quantile(latenesses, 0.99)],
      limit: [quantile(latenesses, 0.5)],
      against: "median",
      goal: "≤ 50 ms",
    }),
  );
  return lines;
};

async function memoryOf(bench: Bench, data: string): Promise<number> {
  const momo = await startMomo(bench.programs, data);
  await Bun.sleep(QUIET_MS);
  const memoryMb = knowsProcesses() ? residentMb(momo.pid) : Number.NaN;
  await momo.stop();
  return memoryMb;
}

const AFTER_MS = 500;

/** How long after its due time a waiting client sees the end of a payment, including the time of the answer. */
async function lateness(momo: RunningMomo, delayMs: number): Promise<number> {
  await Bun.sleep(delayMs);
  const id = await pay(momo, `completed; after=${AFTER_MS}ms`);
  // The prompt was pushed before this moment, so the time of the answer does not count as lateness.
  const startedMs = performance.now();
  await control(momo, "/wait", { checkout_request_id: id, timeout: "10s" });
  return performance.now() - startedMs - AFTER_MS;
}

const PROMPTS = 100_000;

/** Prompts that are all due at once: the clock is frozen, and then it jumps. */
export const resolve: Claim = async (bench) => {
  const rates: number[] = [];
  for (let round = 0; round < bench.longRounds; round += 1) {
    const data = await newData(bench, "due");
    const setUp = await startMomo(bench.programs, data);
    const nowMs = Number((await control(setUp, "/clock", { freeze: true })).now_ms);
    await setUp.stop();
    loadPending(databaseIn(data), PROMPTS, { nowMs, dueMs: nowMs + 1000 });

    const momo = await startMomo(bench.programs, data);
    const ms = await timed(() => control(momo, "/clock", { advance: "10s" }));
    const left = await fetch(`${momo.url}/transactions.php?status=pending`, { headers: momo.headers });
    const { pagination } = (await left.json()) as { pagination: { total_items: number } };
    await momo.stop();
    if (pagination.total_items !== 0) throw new Error(`${pagination.total_items} prompts are still pending`);
    rates.push((PROMPTS / ms) * 1000);
  }
  return [compare({ claim: "resolving due prompts", unit: "/s", momo: rates, goal: "≥ 60,000/s" })];
};
