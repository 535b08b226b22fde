import { resolve } from "node:path";
import { startClients } from "./clients.ts";
import { type Scenario, stopInTime } from "./scenario.ts";

const CLIENTS = 8;
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
      const clients = startClients(CLIENTS, first, ledger, draw);
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
