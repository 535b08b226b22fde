import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Served } from "../support/momo.ts";
import { demand } from "./ledger.ts";
import { type Scenario, stopInTime, type Trial } from "./scenario.ts";

/** Much longer than momo waits for the lock, in every second round, because outcomes can wait before payments; else shorter. */
const LONG_MS = 4000;
const SHORT_MS = 300;

/**
 * Another program holds the database's write lock: payments wait for it, are refused with 500 if that takes too long, and
 * succeed when it is free again.
 */
export const locked: Scenario = {
  title: "a locked database",
  promise: "a locked database: payments wait a second, then 500; the server still stops in time",
  shortRounds: 2,
  rounds: (kills) => Math.ceil(kills / 20),
  async play(trial) {
    const server = await trial.serve();
    await trial.eachRound(async (round) => {
      const isLong = round % 2 === 0;
      const release = holdWriteLock(trial);
      const held = Bun.sleep(isLong ? LONG_MS : SHORT_MS).then(release);
      const refused = await trial.pay(server);
      await held;
      demand(isLong === refused > 0, () => `${refused} payments were refused`);
      await trial.demandPayments(server);
      await trial.demandFinal(server);
    });
    await stopWhileLocked(server, trial);
    return "held for 0.3 and 4 s";
  },
};

function holdWriteLock({ data }: Trial): () => void {
  const holder = new Database(join(data, "momo.db"));
  holder.run("PRAGMA busy_timeout = 5000"); // momo may be writing
  holder.run("BEGIN IMMEDIATE");
  return () => {
    holder.run("ROLLBACK");
    holder.close();
  };
}

/** Stops the server while payments wait for the lock. */
async function stopWhileLocked(server: Served, trial: Trial): Promise<void> {
  const release = holdWriteLock(trial);
  const waiting = trial.pay(server).catch(() => {}); // the server may end before it answers
  await Bun.sleep(100);
  await stopInTime(server);
  release();
  await waiting;
}
