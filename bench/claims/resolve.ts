import { type Claim, newData } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { loadPending } from "../support/loader.ts";
import { control, databaseIn, startMomo } from "../support/servers.ts";
import { timed } from "../support/statistics.ts";

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
