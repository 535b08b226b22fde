import { existsSync } from "node:fs";
import { join } from "node:path";
import { firstAnswer, startClients } from "./clients.ts";
import { demand } from "./ledger.ts";
import { type Scenario, stopInTime } from "./scenario.ts";

const CLIENTS = 24;

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
