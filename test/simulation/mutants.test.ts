import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { PATIENCE_MS } from "../support/time-outs.ts";
import { MUTANTS } from "./mutants.ts";

/** Within so many seeds every mutant is found; without a mutant all of them pass. */
const SEEDS = 12;

/** How many run at once. */
const AT_ONCE = 2;

const file = (name: string) => join(import.meta.dir, name);

/** Runs the simulation of a program that is broken in one place. */
async function simulateBroken(mutant: string) {
  const command = [process.execPath, "--preload", file("mutate.ts"), file("simulate.ts"), "1", "--seeds", `${SEEDS}`];
  const env = { ...process.env, MUTANT: mutant };
  const child = Bun.spawn(command, { env, stdout: "ignore", stderr: "pipe", timeout: 2 * PATIENCE_MS });
  const said = await new Response(child.stderr).text();
  return { code: await child.exited, said };
}

type Found = Awaited<ReturnType<typeof simulateBroken>>;

/** All of them, a few at a time, in order. */
const found = new Map<string, PromiseWithResolvers<Found>>(
  Object.keys(MUTANTS).map((name) => [name, Promise.withResolvers<Found>()]),
);
const queue = [...found];
async function work(): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) next[1].resolve(await simulateBroken(next[0]));
}

describe(`the simulation bites: within ${SEEDS} seeds it finds that`, () => {
  for (const [name, { promise }] of found) {
    test(name, async () => {
      if (queue.length === found.size) for (let worker = 0; worker < AT_ONCE; worker += 1) void work();
      const { code, said } = await promise;
      expect(said).toMatch(/^seed [0-9]+ fails at step [0-9]+: /);
      expect(said).toContain("\nagain: npm run simulate ");
      expect(code).toBe(1);
    });
  }
});
