import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { control, countAt, pay, payments, statusChecks } from "../support/load.ts";
import { checkoutIdsIn, loadPending } from "../support/loader.ts";
import { residentMb } from "../support/machine.ts";
import {
  type Bench,
  type Claim,
  databaseIn,
  newData,
  type RunningMomo,
  rowsText,
  startMomo,
} from "../support/servers.ts";
import { compare, median, quantile, timed } from "../support/table.ts";

const YEAR_MS = 365 * 86_400_000;
const QUIET_MS = 1500;

/** The cost of pending prompts, and how late the outcomes of other prompts are under load. */
export const pending: Claim = async (bench) => {
  const { startRows: count } = bench;
  const data = await newData(bench, "pending");
  const without = await memoryOf(bench, data);
  bench.progress(`loading ${rowsText(count)}, all pending`);
  const nowMs = Date.now();
  loadPending(databaseIn(data), count, { nowMs, dueMs: nowMs + YEAR_MS });
  const withThem = await memoryOf(bench, data);

  const momo = await startMomo(bench, data, ["--outcome", "manual"]);
  const load = payments(momo, bench.seconds + 1);
  const late = await Promise.all(Array.from({ length: 100 }, (_, turn) => lateness(momo, 10 * turn)));
  await load;
  await momo.stop();
  return [
    compare(
      `idle: memory with ${count.toLocaleString("en")} pending`,
      "MB",
      { momo: [withThem], limit: [without], against: "none pending" },
      "1.0",
    ),
    compare(
      "lateness of a due prompt, p99, under payment load",
      "ms",
      { momo: [quantile(late, 0.99)], limit: [quantile(late, 0.5)], against: "median" },
      "≤ 50 ms",
    ),
  ];
};

async function memoryOf(bench: Bench, data: string): Promise<number> {
  const momo = await startMomo(bench, data);
  await Bun.sleep(QUIET_MS);
  const memoryMb = residentMb(momo.pid);
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
    const setUp = await startMomo(bench, data);
    const nowMs = Number((await control(setUp, "/clock", { freeze: true })).now_ms);
    await setUp.stop();
    loadPending(databaseIn(data), PROMPTS, { nowMs, dueMs: nowMs + 1000 });

    const momo = await startMomo(bench, data);
    const ms = await timed(() => control(momo, "/clock", { advance: "10s" }));
    const left = await countAt(momo, "&status=pending");
    await momo.stop();
    if (left !== 0) throw new Error(`${left} prompts are still pending`);
    rates.push((PROMPTS / ms) * 1000);
  }
  return [compare("resolving due prompts", "/s", { momo: rates }, "≥ 60,000/s")];
};

/** A shop that starts a payment every second, and polls each five times. */
const REQUESTS_A_DAY = 6 * 24 * 60 * 60;

/** The requests of a busy day, as fast as possible: do memory and the write-ahead log stop growing? */
export const soak: Claim = async (bench) => {
  const requests = Math.round(REQUESTS_A_DAY * bench.days);
  const data = await newData(bench, "soak");
  const idsFile = join(bench.folder, "soak-ids.txt");
  const momo = await startMomo(bench, data);
  const memoryMb: number[] = [];
  const logMb: number[] = [];
  for (let done = 0; done < requests; ) {
    const started = await payments(momo, 1);
    writeFileSync(idsFile, checkoutIdsIn(databaseIn(data), 1000).join("\n"));
    const polled = await statusChecks(momo, 2, idsFile);
    done += started.requests + polled.requests;
    memoryMb.push(residentMb(momo.pid));
    logMb.push(statSync(`${databaseIn(data)}-wal`).size / 1e6);
  }
  await momo.stop();
  const warm = Math.floor(memoryMb.length / 4);
  const quarter = Math.max(1, warm);
  const second = { limit: memoryMb.slice(warm, warm + quarter), against: "in the second quarter" };
  const largest = { momo: [Math.max(...logMb)], limit: [median(logMb)], against: "median" };
  const claim = `after ${requests.toLocaleString("en")} requests`;
  return [
    compare(`${claim}: memory`, "MB", { momo: memoryMb.slice(-quarter), ...second }, "flat"),
    compare(`${claim}: largest log of writes`, "MB", largest, "bounded"),
  ];
};
