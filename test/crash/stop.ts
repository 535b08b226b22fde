import { existsSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { type Served, serveMomo } from "../support/momo.ts";
import { drawFrom } from "../support/random.ts";
import { SLACK_MS } from "../support/time-outs.ts";
import { listWhenFinal, startClients } from "./clients.ts";
import { demand, Ledger } from "./ledger.ts";
import type { Scenario } from "./scenario.ts";

const CLIENTS = 24;
const STOP_WITHIN_MS = 3000;

/** SIGTERM under load: what was answered is there, and the server is gone within three seconds with exit code 0. */
export const stop: Scenario = async ({ rounds, seed, progress }) => {
  const data = join(newFolder(), "data");
  const flags = ["--data", data, "--prompt-timeout", "1s"];
  const draw = drawFrom(seed);
  const ledger = new Ledger();
  let longestMs = 0;

  for (let round = 1; round <= rounds; round++) {
    const server = await serveMomo(flags);
    const clients = startClients(CLIENTS, server, ledger, draw);
    await Bun.sleep(20 + draw(200));
    longestMs = Math.max(longestMs, await stopInTime(server));
    clients.stop();
    await clients.ended;
    demand(server.child.stderr.text === "", () => `told: ${server.child.stderr.text}`);
    demand(!existsSync(join(data, "momo.db-wal")), () => "the database was not closed");
    if (round % 10 === 0) progress(`round ${round} of ${rounds}: at most ${longestMs.toFixed(0)} ms`);
  }

  const server = await serveMomo(flags);
  ledger.checkFinal(await listWhenFinal(server));
  await stopInTime(server);
  return {
    scenario: "SIGTERM under load",
    rounds,
    answered: ledger.answered,
    unanswered: ledger.unanswered,
    note: `gone after at most ${longestMs.toFixed(0)} ms`,
  };
};

/** @returns how long it took, in milliseconds @throws an error where that is too long, or the exit code is not 0 */
export async function stopInTime(server: Served): Promise<number> {
  const startedMs = performance.now();
  const exitCode = await server.stop();
  const tookMs = performance.now() - startedMs;
  demand(exitCode === 0, () => `stopped with exit code ${exitCode}: ${server.child.stderr.text.slice(-300)}`);
  demand(tookMs < STOP_WITHIN_MS + SLACK_MS, () => `it took ${tookMs.toFixed(0)} ms to stop`);
  return tookMs;
}
