import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { drawSeed } from "../../src/domain/random.ts";
import { systemRandom } from "../../src/system.ts";
import { SimulationFailure, simulate } from "./run.ts";

/** The seeds that every change must live through. */
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

/** All that happened in them. */
const lines: string[] = [];
const echo = (line: string) => void lines.push(line);

const freshSeed = drawSeed(systemRandom);

describe("every answer is as the documentation foretells, whatever fails", () => {
  test.each(SEEDS)("seed %p", async (seed) => {
    const { operations } = await simulate(seed, { echo });
    expect(operations).toBeGreaterThan(100);
  });

  test(`a seed that nobody has tried: ${freshSeed}`, async () => {
    expect((await simulate(freshSeed)).operations).toBeGreaterThan(100);
  });
});

describe("same seed, same run", () => {
  test("to the last line of the trace", async () => {
    const [first, again]: [string[], string[]] = [[], []];
    const { digest } = await simulate(7, { echo: (line) => first.push(line) });
    expect((await simulate(7, { echo: (line) => again.push(line) })).digest).toBe(digest);
    expect(again).toEqual(first);
  });

  test("in another process too", async () => {
    const { digest } = await simulate(11);
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "simulate.ts"), "11"], { stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toContain(`trace ${digest}`);
    expect(await child.exited).toBe(0);
  });

  test("another seed, another run", async () => {
    const [one, other] = [await simulate(1, { steps: 40 }), await simulate(2, { steps: 40 })];
    expect(one.digest).not.toBe(other.digest);
  });
});

test("these seeds meet all that they are for: every outcome, every accident, both forms", () => {
  const text = lines.join("\n");
  const met = [
    ...["full form", "short form"],
    ...["completed", "failed", "cancelled", "expired"].map((status) => `"status":"${status}"`),
    ...['"kind":"died"', '"kind":"commit failed"', '"kind":"restarted"', '"late":true', '"doubtful":true', '→ "lost"'],
    ...[
      '"result":"refused"',
      '"result":"broken"',
      '"result":"invalid"',
      "/_momo/reset",
      '"do":"revoke"',
      '"do":"kill"',
    ],
    ...[400, 401, 404, 405, 409, 500].map((status) => `{"status":${status},`),
    ...[
      "STK push initiation failed",
      "internal server error",
      'freeze\\":true',
      'resume\\":true',
      "search=",
      "date_to=",
    ],
    ...["wallet_deposit", '"method":"PUT"', '"method":"DELETE","target":"/_momo/rules"', "dieAfterTurns"],
  ];
  expect(met.filter((what) => !text.includes(what))).toEqual([]);
});

test("a failure names the seed, the command that replays it, and the last steps before", () => {
  const trace = { note() {}, tail: () => ["what was done", "what came of it"], digest: () => "" };
  const failure = new SimulationFailure(1234, 17, trace, new Error("two and two are five"));
  expect(failure.message.split("\n")).toEqual([
    "seed 1234 fails at step 17: Error: two and two are five",
    "again: npm run simulate 1234",
    "the last steps before:",
    "  what was done",
    "  what came of it",
  ]);
});

test("the auditor shares no code with what it audits", async () => {
  const folder = join(import.meta.dir, "auditor");
  const files = readdirSync(folder);
  expect(files).toContain("auditor.ts");
  for (const file of files) {
    const imported = [...(await Bun.file(join(folder, file)).text()).matchAll(/\bfrom\s+"([^"]+)"/g)].map(
      ([, from]) => from,
    );
    expect(imported.filter((from) => !/^\.\/[a-z-]+\.ts$|^\.\.\/events\.ts$/.test(from ?? ""))).toEqual([]);
  }
});
