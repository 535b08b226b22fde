import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { type Served, serveMomo, startMomo } from "../support/momo.ts";
import { type Draw, drawFrom } from "../support/random.ts";
import { listAll, listWhenFinal, startClients } from "./clients.ts";
import { demand, Ledger } from "./ledger.ts";
import type { Scenario } from "./scenario.ts";
import { integrityOf } from "./storage.ts";

const CLIENTS = 24;
/** Every so many rounds the whole list is read; the pages of hundreds of rounds take longer than the rounds. */
const ROUNDS_BETWEEN_LOOKS = 5;
/** Every so many rounds begin with a reset, whose numbers must stay used although the server is killed soon after. */
const ROUNDS_BETWEEN_RESETS = 15;

/**
 * `kill -9` at a drawn moment under load, again and again on the same data: in the middle of requests, while the server starts,
 * and while it stops. Each round begins where the last one died.
 */
export const kill: Scenario = async ({ rounds, seed, progress }) => {
  const data = join(newFolder(), "data");
  const flags = ["--data", data, "--prompt-timeout", "2s"];
  const draw = drawFrom(seed);
  const ledger = new Ledger();
  const count = { load: 0, start: 0, stop: 0 };

  for (let round = 1; round <= rounds; round++) {
    try {
      const moment = momentOf(draw);
      count[moment] += 1;
      if (moment === "start") {
        await killStarting(flags, draw);
        continue;
      }
      const server = await serveMomo(flags);
      if (round % ROUNDS_BETWEEN_LOOKS === 0) ledger.check((await listAll(server)).items);
      if (round % ROUNDS_BETWEEN_RESETS === 0) await resetAll(server, ledger);
      await killUnderLoad(server, ledger, draw, moment);
      if (round % 20 === 0) progress(`round ${round} of ${rounds}: ${ledger.answered} payments answered`);
    } catch (error) {
      throw new Error(`round ${round}: ${(error as Error).message}`);
    }
  }

  const server = await serveMomo(flags);
  ledger.checkFinal(await listWhenFinal(server));
  demand((await server.stop()) === 0, () => "it did not stop with exit code 0");
  integrityOf(data);
  return {
    scenario: "kill -9",
    rounds,
    answered: ledger.answered,
    unanswered: ledger.unanswered,
    note: `${count.load} under load, ${count.start} while starting, ${count.stop} while stopping`,
  };
};

function momentOf(draw: Draw): "load" | "start" | "stop" {
  const drawn = draw(10);
  return drawn === 0 ? "start" : drawn === 1 ? "stop" : "load";
}

/** Before it is ready, or just after. */
async function killStarting(flags: readonly string[], draw: Draw): Promise<void> {
  const child = startMomo(["serve", "--json", "--port", "0", ...flags]);
  await Bun.sleep(draw(120));
  child.signal("SIGKILL");
  await child.exited;
  demand(child.stderr.text === "", () => `told while starting: ${child.stderr.text}`);
}

/** Nobody else is at work meanwhile, so that the list is all there is. */
async function resetAll(server: Served, ledger: Ledger): Promise<void> {
  const { items } = await listAll(server);
  const answer = await fetch(`${server.ready.control_url}/reset`, { method: "POST" });
  demand(answer.status === 200, () => `a reset is refused: ${answer.status}`);
  ledger.forget(items);
}

async function killUnderLoad(server: Served, ledger: Ledger, draw: Draw, moment: "load" | "stop"): Promise<void> {
  const clients = startClients(CLIENTS, server, ledger, draw);
  await Bun.sleep(20 + draw(300));
  if (moment === "stop") {
    server.child.signal("SIGTERM");
    await Bun.sleep(draw(60));
  }
  await server.kill();
  clients.stop();
  await clients.ended;
  demand(server.child.stderr.text === "", () => `told under load: ${server.child.stderr.text}`);
}
