import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { demand } from "../support/ledger.ts";
import { type Served, startMomo } from "../support/momo.ts";
import { firstAnswer, listAll, startClients } from "./clients.ts";
import { type Scenario, stopInTime, type Trial } from "./scenario.ts";

const CLIENTS = 24;
/** The whole list is read only every few rounds, because reading it takes longer than a round. */
const ROUNDS_BETWEEN_READS = 5;
/** Rounds from one reset to the next. The numbers before a reset must stay used, although the server is killed soon after. */
const ROUNDS_BETWEEN_RESETS = 15;

/**
 * `kill -9` at a drawn moment under load, again and again on the same data: in the middle of requests, while the server starts,
 * and while it stops. Each round begins with the files that the last one left.
 */
export const kill: Scenario = {
  title: "kill -9",
  promise: "`kill -9` under load: every answered payment is stored once, and ends as it should",
  shortRounds: 4,
  rounds: (kills) => kills,
  async play(trial) {
    const { draw, ledger } = trial;
    const count = { load: 0, start: 0, stop: 0 };
    await trial.eachRound(async (round) => {
      const drawn = draw(10);
      const moment = drawn === 0 ? "start" : drawn === 1 ? "stop" : "load";
      count[moment] += 1;
      if (moment === "start") return killStarting(trial);
      const server = await trial.serve();
      if (round % ROUNDS_BETWEEN_READS === 0) ledger.check((await listAll(server)).items);
      if (round % ROUNDS_BETWEEN_RESETS === 0) await resetAll(server, trial);
      await killUnderLoad(server, trial, moment);
    });
    return `${count.load} under load, ${count.start} while starting, ${count.stop} while stopping`;
  },
};

/** Kills a server before it is ready, or directly after. */
async function killStarting({ flags, draw }: Trial): Promise<void> {
  const child = startMomo(["serve", "--json", "--port", "0", ...flags]);
  await Bun.sleep(draw(120));
  child.signal("SIGKILL");
  await child.exited;
  demand(child.stderr.text === "", () => `printed while starting: ${child.stderr.text}`);
}

/** No client runs during the reset, so the list is complete. */
async function resetAll(server: Served, trial: Trial): Promise<void> {
  const { items } = await listAll(server);
  await trial.demandWebhooks(items.filter(({ status }) => status !== "pending"));
  const answer = await fetch(`${server.ready.control_url}/reset`, { method: "POST" });
  demand(answer.status === 200, () => `a reset is refused: ${answer.status}`);
  trial.ledger.forget(items);
}

async function killUnderLoad(server: Served, { ledger, draw }: Trial, moment: "load" | "stop"): Promise<void> {
  const before = ledger.answered;
  const clients = startClients(CLIENTS, server, ledger, draw);
  await firstAnswer(ledger, before);
  await Bun.sleep(draw(300));
  if (moment === "stop") {
    server.child.signal("SIGTERM");
    await Bun.sleep(draw(60));
  }
  await server.kill();
  await clients.stop();
  demand(server.child.stderr.text === "", () => `printed under load: ${server.child.stderr.text}`);
}

export const stop: Scenario = {
  title: "SIGTERM under load",
  promise: "SIGTERM under load: exit code 0 within three seconds, and every answered payment is on disk",
  shortRounds: 2,
  rounds: (kills) => Math.ceil(kills / 5),
  async play(trial) {
    let longestMs = 0;
    await trial.eachRound(async () => {
      const server = await trial.serve();
      const before = trial.ledger.answered;
      const clients = startClients(CLIENTS, server, trial.ledger, trial.draw);
      await firstAnswer(trial.ledger, before);
      await Bun.sleep(trial.draw(200));
      longestMs = Math.max(longestMs, await stopInTime(server));
      await clients.stop();
      demand(server.child.stderr.text === "", () => `printed: ${server.child.stderr.text}`);
      demand(!existsSync(join(trial.data, "momo.db-wal")), () => "the database was not closed");
    });
    return `gone after at most ${longestMs.toFixed(0)} ms`;
  },
};

const FEW_CLIENTS = 8;
const HOUR_MS = 3_600_000;

/** From source: the compiled program cannot be given another clock. */
const PROGRAM = [
  ...[process.execPath, "--no-env-file", "--preload"],
  Bun.fileURLToPath(new URL("./jumping-clock.ts", import.meta.url)),
  resolve(import.meta.dir, "../../cli/main.ts"),
];

/**
 * The host's clock jumps back by an hour under load. The server dies, and starts with a clock that is another hour behind.
 * Nothing is lost, new payments are accepted, and each ends as soon as it should.
 */
export const clockBack: Scenario = {
  title: "a clock that jumps back",
  promise: "a clock that jumps back: nothing lost, nothing doubled, and every payment ends",
  shortRounds: 1,
  rounds: (kills) => Math.ceil(kills / 20),
  async play(trial) {
    const { ledger, draw } = trial;
    const start = (behindMs: number) => trial.serve({ program: PROGRAM, env: { CLOCK_BEHIND_MS: String(behindMs) } });
    await trial.eachRound(async (round) => {
      const first = await start((round - 1) * 2 * HOUR_MS);
      const clients = startClients(FEW_CLIENTS, first, ledger, draw);
      await Bun.sleep(50 + draw(100));
      process.kill(first.ready.pid, "SIGUSR2");
      await Bun.sleep(50 + draw(100));
      await first.kill();
      await clients.stop();

      const second = await start(round * 2 * HOUR_MS);
      await trial.demandPayments(second);
      await trial.demandFinal(second);
      await stopInTime(second);
    });
    return "by an hour while it serves, and by an hour while it does not";
  },
};
