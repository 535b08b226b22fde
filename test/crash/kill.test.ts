import { afterAll } from "bun:test";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { type Served, startMomo } from "../support/momo.ts";
import { demand } from "../support/reconcile.ts";
import { listAll, startClients } from "./clients.ts";
import { stopInTime, type Trial, testByTrial } from "./trial.ts";

afterAll(cleanUp);

const CLIENTS = 24;
/** The whole list is read only every few rounds, because reading it takes longer than a round. */
const ROUNDS_BETWEEN_READS = 5;
/** Rounds from one reset to the next. The numbers before a reset must stay used, although the server is killed soon after. */
const ROUNDS_BETWEEN_RESETS = 15;

// At drawn moments, on the same data: in the middle of requests, while the server starts, and while it stops.
testByTrial(
  "`kill -9` under load: every answered payment is stored once, and ends as it should",
  { rounds: 4 },
  async (trial) => {
    await trial.eachRound(async (round) => {
      const drawn = trial.draw(10);
      if (drawn === 0) return killStarting(trial);
      const server = await trial.serve();
      if (round % ROUNDS_BETWEEN_READS === 0) trial.ledger.check((await listAll(server)).items);
      if (round % ROUNDS_BETWEEN_RESETS === 0) await resetAll(server, trial);
      await killUnderLoad(server, trial, drawn === 1);
    });
  },
);

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

async function killUnderLoad(server: Served, { ledger, draw }: Trial, isStopping: boolean): Promise<void> {
  const clients = await startClients(CLIENTS, server, ledger, draw);
  await Bun.sleep(draw(300));
  if (isStopping) {
    server.child.signal("SIGTERM");
    await Bun.sleep(draw(60));
  }
  await server.kill();
  await clients.stop();
  demand(server.child.stderr.text === "", () => `printed under load: ${server.child.stderr.text}`);
}

testByTrial(
  "SIGTERM under load: exit code 0 within three seconds, and every answered payment is on disk",
  { rounds: 2 },
  async (trial) => {
    await trial.eachRound(async () => {
      const server = await trial.serve();
      const clients = await startClients(CLIENTS, server, trial.ledger, trial.draw);
      await Bun.sleep(trial.draw(200));
      await stopInTime(server);
      await clients.stop();
      demand(server.child.stderr.text === "", () => `printed: ${server.child.stderr.text}`);
      demand(!existsSync(join(trial.data, "momo.db-wal")), () => "the database was not closed");
    });
  },
);

const HOUR_MS = 3_600_000;

/** From source: the compiled program cannot be given another clock. */
const PROGRAM = [
  ...[process.execPath, "--no-env-file", "--preload"],
  Bun.fileURLToPath(new URL("./jumping-clock.ts", import.meta.url)),
  resolve(import.meta.dir, "../../cli/main.ts"),
];

// By an hour while it serves, and by another hour while it does not.
testByTrial(
  "a clock that jumps back: nothing lost, nothing doubled, and every payment ends",
  { rounds: 1 },
  async (trial) => {
    const start = (behindMs: number) => trial.serve({ program: PROGRAM, env: { CLOCK_BEHIND_MS: String(behindMs) } });
    await trial.eachRound(async (round) => {
      const first = await start((round - 1) * 2 * HOUR_MS);
      const clients = await startClients(8, first, trial.ledger, trial.draw);
      await Bun.sleep(trial.draw(100));
      process.kill(first.ready.pid, "SIGUSR2");
      await Bun.sleep(50 + trial.draw(100));
      await first.kill();
      await clients.stop();

      const second = await start(round * 2 * HOUR_MS);
      await trial.demandPayments(second);
      await trial.demandFinal(second);
      await stopInTime(second);
    });
  },
);
