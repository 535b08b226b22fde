import { control, countAt } from "../support/load.ts";
import { loadPending } from "../support/loader.ts";
import { type Claim, databaseIn, newData, startMomo } from "../support/servers.ts";
import { compare, timed } from "../support/table.ts";

/** Prompts that are all due at once: the clock is frozen, and then it jumps. */
export const resolve: Claim = async (bench) => {
  const rates: number[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    const data = await newData(bench, "due");
    const setUp = await startMomo(bench, data);
    const nowMs = Number((await control(setUp, "/clock", { freeze: true })).now_ms);
    await setUp.stop();
    loadPending(databaseIn(data), bench.prompts, { nowMs, dueMs: nowMs + 1000 });

    const momo = await startMomo(bench, data);
    const ms = await timed(() => control(momo, "/clock", { advance: "10s" }));
    const left = await countAt(momo, "&status=pending");
    await momo.stop();
    if (left !== 0) throw new Error(`${left} prompts are still pending`);
    rates.push((bench.prompts / ms) * 1000);
  }
  return [compare("resolving due prompts", "/s", { momo: rates }, "≥ 60,000/s")];
};
