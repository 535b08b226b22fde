import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import { LOST, PAYMENT, PROGRAMS, runnerOf, serveService } from "./programs.ts";

/** Servers whose clocks differ, or are set back, and that ask for one order: how long it has not been found. */

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const INTERVAL_MS = 5000;

interface Clock {
  readonly asked_ms: number;
  readonly not_found_ms: number;
}

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const clock = { nowMs: START_MS };
  const run = runnerOf(program, clock);

  /** What each clock has counted, if the client asks for ORDER-0001 at these times. */
  async function clocksAfter(times: readonly number[]): Promise<readonly Clock[]> {
    const { baseUrl } = serveService({ push: LOST });
    const folder = newFolder();
    clock.nowMs = START_MS;
    await run(baseUrl, folder, "start", ...PAYMENT);
    for (clock.nowMs of times) await run(baseUrl, folder, "ask", "ORDER-0001");
    const values = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
    return values.flatMap(({ clocks = [] }) => clocks);
  }
  /** How long ORDER-0001 has not been found. */
  async function notFoundMs(times: readonly number[]): Promise<number> {
    const clocks = await clocksAfter(times);
    return Math.max(...clocks.map((clock) => clock.not_found_ms));
  }

  describeWith(program.needs, `the client in ${program.name}`, () => {
    test("counts no more than the time that has passed if three servers whose clocks are an hour apart ask in turn", async () => {
      const times = Array.from({ length: 90 }, (_, turn) => START_MS + 100 * turn + HOUR_MS * (turn % 3));
      const countedMs = await notFoundMs(times);
      // 9 s, and an interval for each time that a clock is taken for another one, until each is known.
      expect(countedMs).toBeGreaterThan(9000);
      expect(countedMs).toBeLessThanOrEqual(9000 + 3 * INTERVAL_MS);
    });

    test.each([HOUR_MS, 1000 * HOUR_MS])("goes on to count if its clock is set back by %d ms", async (backMs) => {
      const after = [0, 5000, 10_000].map((ms) => START_MS - backMs + ms);
      expect(await notFoundMs([START_MS, ...after])).toBe(2 * INTERVAL_MS);
    });

    test("counts an interval at most for each look", async () => {
      const times = [0, 1000, 61_000, HOUR_MS].map((ms) => START_MS + ms);
      expect(await notFoundMs(times)).toBe(1000 + 2 * INTERVAL_MS);
    });

    test("counts nothing for the first look, however long the interval is", async () => {
      const { baseUrl } = serveService({ push: LOST });
      const folder = newFolder();
      const runRarely = runnerOf(program, { interval: 600 });
      await runRarely(baseUrl, folder, "start", ...PAYMENT);
      expect(await runRarely(baseUrl, folder, "ask", "ORDER-0001")).toMatchObject({ status: "unknown" });
    });

    test("stores ten clocks at most, the latest first, if each look goes back", async () => {
      const clocks = await clocksAfter(Array.from({ length: 30 }, (_, look) => START_MS - look * HOUR_MS));
      expect(clocks.map((clock) => clock.asked_ms)).toEqual(
        Array.from({ length: 10 }, (_, look) => START_MS - (20 + look) * HOUR_MS),
      );
    });
  });
}
