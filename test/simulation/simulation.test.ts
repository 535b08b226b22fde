import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { drawSeed } from "../../src/domain/random.ts";
import { systemRandom } from "../../src/system.ts";
import { ROOT } from "../support/binary.ts";
import { cleanUp } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";
import { SEED, TIMES } from "../support/random.ts";
import { OUTCOMES as AUDITED } from "./auditor/prediction.ts";
import { SimulationFailure, simulate } from "./run.ts";

afterAll(cleanUp);

/** Every change must pass these seeds. */
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

/** What happened in each of them, line by line, and its hash. */
const traces = new Map<number, { readonly lines: readonly string[]; readonly digest: string }>();

async function traced(seed: number) {
  const lines: string[] = [];
  const { operations, digest } = await simulate(seed, {
    echo(line) {
      lines.push(line);
      echo(line);
    },
  });
  return { lines, operations, digest };
}

/** New ones in each run; a long run has many, from the one that MOMO_TEST_SEED names. */
const first = process.env.MOMO_TEST_SEED === undefined ? drawSeed(systemRandom) : SEED;
const FRESH_SEEDS = Array.from({ length: 2 * TIMES ** 2 }, (_, index) => first + index);

const echo = process.env.MOMO_TEST_TRACE ? console.log : () => {};

describe("every answer is as the documentation predicts, whatever fails", () => {
  test.each([...FRESH_SEEDS, ...SEEDS])("seed %p", async (seed) => {
    const { operations, ...trace } = await traced(seed);
    if (!SEEDS.includes(seed)) return;
    traces.set(seed, trace);
    expect(operations).toBeGreaterThan(100);
  });
});

test("the auditor has its own table of outcomes, and it says the same as the program's", () => {
  const own = Object.entries(AUDITED).map(([name, { phone, status, code, afterMs }]) => {
    const ending = code === undefined ? null : { status, code, afterMs };
    return { name, phone, ending };
  });
  const programs = OUTCOMES.map(({ name, phone, ending }) => {
    if (ending.by !== "network") return { name, phone, ending: null };
    const { status, code, afterMs } = ending;
    return { name, phone, ending: { status, code, afterMs } };
  });
  expect(programs).toEqual(own as typeof programs);
});

describe("same seed, same run", () => {
  test("to the last line of the trace; another seed gives another run", async () => {
    const { operations: _, ...again } = await traced(7);
    expect(again).toEqual(traces.get(7) as typeof again);
    expect(again.digest).not.toBe(traces.get(8)?.digest);
  });

  test("in another process too", async () => {
    const code = `import { simulate } from "${join(import.meta.dir, "run.ts")}"; console.log((await simulate(11)).digest);`;
    const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toBe(`${traces.get(11)?.digest}\n`);
  });
});

test("in these seeds every outcome and every failure occur", () => {
  const text = SEEDS.flatMap((seed) => traces.get(seed)?.lines ?? []).join("\n");
  const met = [
    ...["completed", "failed", "cancelled", "expired"].map((status) => `"status":"${status}"`),
    ...['"kind":"died"', '"kind":"commit failed"', '"kind":"restarted"', '"late":true', '"doubtful":true', '→ "lost"'],
    ...['"result":"refused"', '"result":"broken"', '"result":"invalid"', "/_momo/reset"],
    ...['"do":"revoke"', '"do":"kill"', "dieAfterTurns"],
    ...[400, 401, 404, 409, 500].map((status) => `{"status":${status},`),
    ...["STK push initiation failed", "internal server error", 'freeze\\":true', 'resume\\":true'],
    ...["search=", "date_to=", "wallet_deposit", '"method":"PUT"', '"method":"DELETE","target":"/_momo/rules"'],
  ];
  expect(met.filter((what) => !text.includes(what))).toEqual([]);
});

test("a failure names the seed, the command that repeats it, and the last steps before", () => {
  const failure = new SimulationFailure(1234, 17, ["a request", "its answer"], new Error("two and two are five"));
  expect(failure.message.split("\n")).toEqual([
    "seed 1234 fails at step 17: Error: two and two are five",
    "again: MOMO_TEST_SEED=1234 MOMO_TEST_TRACE=1 npm run dev -- simulate -t 'seed 1234$'",
    "the last steps before:",
    "  a request",
    "  its answer",
  ]);
});

test("the auditor shares no code with what it audits, nor do the comparisons of all trials", async () => {
  expect(await Bun.file(join(import.meta.dir, "../support/reconcile.ts")).text()).not.toMatch(/^import/m);
  const folder = join(import.meta.dir, "auditor");
  const files = readdirSync(folder);
  expect(files).toContain("auditor.ts");
  for (const file of files) {
    const text = await Bun.file(join(folder, file)).text();
    // By the types, the compiler asks for a filter that is missing.
    const code = text.replaceAll(/^import type [^"]*"[^"]*";$/gm, "");
    const imported = [...code.matchAll(/\bfrom\s+"([^"]+)"/g)].map(([, from = ""]) => from);
    const isAllowed = (from: string) =>
      ["../events.ts", "../../support/reconcile.ts"].includes(from) || /^\.\/[a-z-]+\.ts$/.test(from);
    expect(imported.filter((from) => !isAllowed(from))).toEqual([]);
  }
});

test("`npm run dev simulate` takes the seed and the times of its caller, says how to repeat the run, and ends as the tests do", async () => {
  const env = { MOMO_TEST_TIMES: "3", MOMO_TEST_SEED: "77" };
  const { stderr, exitCode } = await runToEnd(
    [process.execPath, join(ROOT, "scripts/dev.ts"), "simulate", "-t", "no test"],
    {
      env,
    },
  );
  expect(stderr).toStartWith("again: MOMO_TEST_TIMES=3 MOMO_TEST_SEED=77 npm run dev simulate -- -t 'no test'\n");
  expect(exitCode).toBe(1); // Bun's own, because no test has this name
});
