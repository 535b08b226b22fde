import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runMomo } from "../support/momo.ts";
import { demand } from "./ledger.ts";
import { isRoot, mountSmall, run, whyNoMount } from "./mount.ts";
import { type Scenario, stopInTime, type Trial } from "./scenario.ts";

export const readOnly: Scenario = {
  title: "a read-only database",
  promise: "a read-only database: two lines that say so, exit code 1, and nothing changed",
  shortRounds: 1,
  rounds: (kills) => Math.ceil(kills / 20),
  impossible: () => (isRoot() ? whyNoMount() : ""),
  async play(trial) {
    const protect = isRoot() ? protectByMount(trial) : protectByMode(trial);
    await trial.eachRound(async (round) => {
      const server = await trial.serve();
      await trial.demandPayments(server);
      // In every other round, prompts are still pending.
      if (round % 2 === 0) await trial.demandFinal(server);
      await stopInTime(server);
      protect(true);
      const refused = await runMomo(["serve", "--port", "0", ...trial.flags]);
      protect(false);
      const lines = refused.stderr.trimEnd().split("\n");
      const isSaid = lines.length <= 2 && lines[0]?.includes(trial.data) && lines.at(-1)?.includes("--data");
      demand(refused.exitCode === 1 && Boolean(isSaid), () => `exit code ${refused.exitCode}: ${refused.stderr}`);
    });
    return isRoot() ? "on a read-only file system" : "by its mode";
  },
};

function protectByMode({ data }: Trial) {
  return (on: boolean) => {
    for (const name of readdirSync(data)) chmodSync(join(data, name), on ? 0o400 : 0o600);
    chmodSync(data, on ? 0o500 : 0o700);
  };
}

/** Root may write whatever the mode says. */
function protectByMount({ folder }: Trial) {
  mountSmall(folder);
  return (on: boolean) => {
    const options = `remount,${on ? "ro" : "rw"}`;
    if (!run(["mount", "-o", options, folder])) throw new Error(`mount -o ${options} ${folder} has failed`);
  };
}
