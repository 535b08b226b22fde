import { Database } from "bun:sqlite";
import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { type Served, serveMomo } from "../support/momo.ts";
import { drawFrom } from "../support/random.ts";
import { listWhenFinal, payAtOnce } from "./clients.ts";
import { demand, Ledger } from "./ledger.ts";
import type { Scenario } from "./scenario.ts";
import { stopInTime } from "./stop.ts";

const AT_ONCE = 20;
/** Longer than momo waits for it, in every second round; else shorter. */
const LONG_MS = 2000;
const SHORT_MS = 300;

/**
 * Another program holds the database's write lock: payments wait for it, are refused with 500 where that takes too long, and
 * succeed again when it is given back.
 */
export const locked: Scenario = async ({ rounds, seed, progress }) => {
  const data = join(newFolder(), "data");
  const draw = drawFrom(seed);
  const ledger = new Ledger();
  const server = await serveMomo(["--data", data, "--prompt-timeout", "1s"]);
  const pay = () => payAtOnce(AT_ONCE, server, ledger, draw);

  for (let round = 1; round <= rounds; round++) {
    const isLong = round % 2 === 0;
    const release = holdWriteLock(data);
    const held = Bun.sleep(isLong ? LONG_MS : SHORT_MS).then(release);
    const refused = await pay();
    await held;
    demand(isLong === refused > 0, () => `${refused} of ${AT_ONCE} were refused`);
    demand((await pay()) === 0, () => "payments are refused although nobody holds the lock");
    ledger.checkFinal(await listWhenFinal(server));
    progress(`round ${round} of ${rounds}: ${refused} of ${AT_ONCE} refused`);
  }

  await stopWhileLocked(server, data);
  return {
    scenario: "a locked database",
    rounds,
    answered: ledger.answered,
    unanswered: ledger.unanswered,
    note: "held for 0.3 and 2 s",
  };
};

function holdWriteLock(data: string): () => void {
  const holder = new Database(join(data, "momo.db"));
  holder.run("BEGIN IMMEDIATE");
  return () => {
    holder.run("ROLLBACK");
    holder.close();
  };
}

/** With a payment that waits for the lock. */
async function stopWhileLocked(server: Served, data: string): Promise<void> {
  const release = holdWriteLock(data);
  const order = { payment_account_id: server.ready.payment_account_id, phone: "0712345678", amount: 1 };
  const waiting = server.post("/stkpush.php", order).then(
    ({ status }) => status,
    () => null,
  );
  await Bun.sleep(100);
  await stopInTime(server);
  release();
  await waiting;
}
