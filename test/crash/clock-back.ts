import { join, resolve } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { drawFrom } from "../support/draw.ts";
import { type Served, serveMomo } from "../support/momo.ts";
import { listWhenFinal, payAtOnce, startClients } from "./clients.ts";
import { demand, Ledger } from "./ledger.ts";
import type { Scenario } from "./scenario.ts";
import { stopInTime } from "./stop.ts";

const CLIENTS = 8;
const HOUR_MS = 3_600_000;

/** From source, which alone can be given another clock. */
const PROGRAM = [
  ...[
    process.execPath,
    "--no-env-file",
    "--preload",
    Bun.fileURLToPath(new URL("./jumping-clock.ts", import.meta.url)),
  ],
  resolve(import.meta.dir, "../../cli/main.ts"),
];

/**
 * The host's clock jumps back by an hour under load, the server dies, and comes back to a clock that is another one behind:
 * nothing is lost, new payments are taken, and each ends as soon as it would have.
 */
export const clockBack: Scenario = async ({ rounds, seed, progress }) => {
  const data = join(newFolder(), "data");
  const flags = ["--data", data, "--prompt-timeout", "1s"];
  const draw = drawFrom(seed);
  const ledger = new Ledger();
  const start = (behindMs: number) =>
    serveMomo(flags, { program: PROGRAM, env: { CLOCK_BEHIND_MS: String(behindMs) } });

  for (let round = 1; round <= rounds; round++) {
    const first = await start((round - 1) * 2 * HOUR_MS);
    const clients = startClients(CLIENTS, first, ledger, draw);
    await Bun.sleep(50 + draw(100));
    jumpBack(first);
    await Bun.sleep(50 + draw(100));
    await first.kill();
    clients.stop();
    await clients.ended;

    const second = await start(round * 2 * HOUR_MS);
    demand((await payAtOnce(CLIENTS, second, ledger, draw)) === 0, () => "payments are refused");
    ledger.checkFinal(await listWhenFinal(second));
    await stopInTime(second);
    progress(`round ${round} of ${rounds}: ${ledger.answered} payments answered`);
  }
  return {
    scenario: "a clock that jumps back",
    rounds,
    answered: ledger.answered,
    unanswered: ledger.unanswered,
    note: "by an hour while it serves, and by an hour while it does not",
  };
};

function jumpBack({ ready }: Served): void {
  process.kill(ready.pid, "SIGUSR2");
}
