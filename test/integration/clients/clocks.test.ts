import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith, type Needed } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";
import { CLIENTS, json, PYTHON, serveService } from "./programs.ts";

/** Servers whose clocks differ, or are set back, and that ask for one order: how long it has not been found. */

/** Programs that start ORDER-0001, and ask for it at each of these times, in milliseconds. */
const ASKING: readonly [
  name: string,
  needs: readonly Needed[],
  program: (url: string, folder: string, times: readonly number[]) => readonly string[],
][] = [
  [
    "JavaScript",
    ["node"],
    (baseUrl, folder, times) => [
      ...["node", "--input-type=module", "-e"],
      `import { createClient, fileStore } from "${CLIENTS}/client.mjs";
       let time = 0;
       const momo = createClient({ baseUrl: "${baseUrl}", apiKey: "a", apiSecret: "b", paymentAccountId: 1,
         store: fileStore("${folder}"), now: () => time });
       await momo.start("ORDER-0001", "0712345678", 100);
       for (time of ${JSON.stringify(times)}) await momo.ask("ORDER-0001");`,
    ],
  ],
  [
    "Python",
    ["python3"],
    (url, folder, times) => [
      ...[...PYTHON, "-c"],
      `import sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore
times = [0]
momo = Client("${url}", "a", "b", 1, FileStore("${folder}"), now=lambda: times[-1] / 1000)
momo.start("ORDER-0001", "0712345678", 100)
for time in ${JSON.stringify(times)}:
    times.append(time)
    momo.ask("ORDER-0001")`,
    ],
  ],
  [
    "PHP",
    ["php", "php curl"],
    (url, folder, times) => [
      ...["php", "-r"],
      `require "${CLIENTS}/client.php"; $time = 0;
       $now = function () use (&$time) { return $time / 1000; };
       $momo = new Momo\\Client("${url}", "a", "b", 1, new Momo\\FileStore("${folder}"), now: $now);
       $momo->start("ORDER-0001", "0712345678", 100);
       foreach (${JSON.stringify(times)} as $time) $momo->ask("ORDER-0001");`,
    ],
  ],
];

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const INTERVAL_MS = 5000;

afterAll(cleanUp);

for (const [name, needs, program] of ASKING) {
  async function notFoundMs(times: readonly number[]): Promise<number> {
    const { baseUrl } = serveService({ push: () => json({}, 504) });
    const folder = newFolder();
    const run = await runToEnd(program(baseUrl, folder, times));
    expect(run).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    const values = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
    return Math.max(
      ...values.flatMap(({ clocks = [] }) => clocks.map((clock: { not_found_ms: number }) => clock.not_found_ms)),
    );
  }

  describeWith(needs, `the client in ${name}`, () => {
    test(
      "counts no more than the time that has passed if three servers whose clocks are an hour apart ask in turn",
      async () => {
        const times = Array.from({ length: 90 }, (_, turn) => START_MS + 100 * turn + HOUR_MS * (turn % 3));
        const countedMs = await notFoundMs(times);
        // 9 s, and an interval for each time that a clock is taken for another one, until each is known.
        expect(countedMs).toBeGreaterThan(9000);
        expect(countedMs).toBeLessThanOrEqual(9000 + 4 * INTERVAL_MS);
      },
      TEST_TIMEOUT_MS,
    );

    test.each([HOUR_MS, 1000 * HOUR_MS])(
      "goes on to count if its clock is set back by %d ms",
      async (backMs) => {
        const after = [0, 5000, 10_000].map((ms) => START_MS - backMs + ms);
        expect(await notFoundMs([START_MS, ...after])).toBe(3 * INTERVAL_MS);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "counts an interval at most for each look",
      async () => {
        const times = [0, 1000, 61_000, HOUR_MS].map((ms) => START_MS + ms);
        expect(await notFoundMs(times)).toBe(INTERVAL_MS + 1000 + 2 * INTERVAL_MS);
      },
      TEST_TIMEOUT_MS,
    );
  });
}
