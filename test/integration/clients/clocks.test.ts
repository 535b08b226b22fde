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

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const clock = { nowMs: START_MS };
  const run = runnerOf(program, clock);

  /** How long ORDER-0001 has not been found, if the client asks for it at these times. */
  async function notFoundMs(times: readonly number[]): Promise<number> {
    const { baseUrl } = serveService({ push: LOST });
    const folder = newFolder();
    clock.nowMs = START_MS;
    await run(baseUrl, folder, "start", ...PAYMENT);
    for (clock.nowMs of times) await run(baseUrl, folder, "ask", "ORDER-0001");
    const values = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
    return Math.max(
      ...values.flatMap(({ clocks = [] }) => clocks.map((clock: { not_found_ms: number }) => clock.not_found_ms)),
    );
  }

  describeWith(program.needs, `the client in ${program.name}`, () => {
    test("counts no more than the time that has passed if three servers whose clocks are an hour apart ask in turn", async () => {
      const times = Array.from({ length: 90 }, (_, turn) => START_MS + 100 * turn + HOUR_MS * (turn % 3));
      const countedMs = await notFoundMs(times);
      // 9 s, and an interval for each time that a clock is taken for another one, until each is known.
      expect(countedMs).toBeGreaterThan(9000);
      expect(countedMs).toBeLessThanOrEqual(9000 + 4 * INTERVAL_MS);
    });

    test.each([HOUR_MS, 1000 * HOUR_MS])("goes on to count if its clock is set back by %d ms", async (backMs) => {
      const after = [0, 5000, 10_000].map((ms) => START_MS - backMs + ms);
      expect(await notFoundMs([START_MS, ...after])).toBe(3 * INTERVAL_MS);
    });

    test("counts an interval at most for each look", async () => {
      const times = [0, 1000, 61_000, HOUR_MS].map((ms) => START_MS + ms);
      expect(await notFoundMs(times)).toBe(INTERVAL_MS + 1000 + 2 * INTERVAL_MS);
    });
  });
}
