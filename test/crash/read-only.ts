import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { drawFrom } from "../support/random.ts";
import { listWhenFinal, payAtOnce } from "./clients.ts";
import { demand, Ledger } from "./ledger.ts";
import { isRoot, mountSmall, run } from "./mount.ts";
import { leftOut, type Scenario } from "./scenario.ts";
import { stopInTime } from "./stop.ts";

const AT_ONCE = 20;

/** The data may not be written: `serve` says so in two lines, changes nothing, and all is there when it may be again. */
export const readOnly: Scenario = async ({ rounds, seed, progress }) => {
  const place = placeOfData();
  if (!place) return leftOut("a read-only database", "root may write everything, and nothing can be mounted here");
  const flags = ["--data", place.data, "--prompt-timeout", "1s"];
  const draw = drawFrom(seed);
  const ledger = new Ledger();

  for (let round = 1; round <= rounds; round++) {
    const server = await serveMomo(flags);
    demand((await payAtOnce(AT_ONCE, server, ledger, draw)) === 0, () => "payments are refused");
    // In turns, with prompts that are still pending.
    if (round % 2 === 0) ledger.checkFinal(await listWhenFinal(server));
    await stopInTime(server);
    place.protect(true);
    const refused = await runMomo(["serve", "--port", "0", ...flags]);
    place.protect(false);
    const lines = refused.stderr.trimEnd().split("\n");
    const isSaid = lines.length <= 2 && lines[0]?.includes(place.data) && lines.at(-1)?.includes("--data");
    demand(refused.exitCode === 1 && Boolean(isSaid), () => `exit code ${refused.exitCode}: ${refused.stderr}`);
    progress(`round ${round} of ${rounds}: ${lines[0]}`);
  }

  const server = await serveMomo(flags);
  ledger.checkFinal(await listWhenFinal(server));
  await stopInTime(server);
  return {
    scenario: "a read-only database",
    rounds,
    answered: ledger.answered,
    unanswered: ledger.unanswered,
    note: place.how,
  };
};

/** Modes are nothing to root, who may mount instead. */
function placeOfData() {
  const folder = newFolder();
  const data = join(folder, "data");
  if (!isRoot()) {
    const protect = (on: boolean) => {
      for (const name of readdirSync(data)) chmodSync(join(data, name), on ? 0o400 : 0o600);
      chmodSync(data, on ? 0o500 : 0o700);
    };
    return { data, protect, how: "by its mode" };
  }
  if (!mountSmall(folder)) return null;
  const protect = (on: boolean) => {
    if (!run(["mount", "-o", `remount,${on ? "ro" : "rw"}`, folder]))
      throw new Error(`${folder} cannot be mounted anew`);
  };
  return { data, protect, how: "on a file system mounted so" };
}
