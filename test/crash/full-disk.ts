import { type Served, serveMomo, startMomo } from "../support/momo.ts";
import { drawFrom } from "../support/random.ts";
import { listWhenFinal, payAtOnce } from "./clients.ts";
import { demand, Ledger } from "./ledger.ts";
import { leftOut, type Options, type Scenario } from "./scenario.ts";
import { makeSmallDisks, type SmallDisk } from "./small-disk.ts";
import { stopInTime } from "./stop.ts";
import { integrityOf } from "./storage.ts";

/** A full disk is noticed when a log has to grow, which a few payments may not make it do. */
const MOST_PAYMENTS_UNTIL_FULL = 5000;
const AT_ONCE = 20;

/**
 * The disk runs full under load: payments are refused with 500 in the API's own shape, reading goes on, and all is well as
 * soon as there is space again. Every second round the server is told to stop while the disk is full.
 */
export const fullDisk: Scenario = async (options) => {
  const disks = makeSmallDisks();
  if (disks.length === 0) return leftOut("a full disk", "nothing can be mounted here, and there is no prlimit");
  const ledgers = [];
  for (const disk of disks) ledgers.push(await fillAgainAndAgain(disk, options));
  return {
    scenario: "a full disk",
    rounds: options.rounds * disks.length,
    answered: ledgers.reduce((sum, { answered }) => sum + answered, 0),
    unanswered: ledgers.reduce((sum, { unanswered }) => sum + unanswered, 0),
    note: disks.map(({ kind }) => kind).join(", "),
  };
};

async function fillAgainAndAgain(disk: SmallDisk, { rounds, seed, progress }: Options): Promise<Ledger> {
  const flags = ["--data", disk.data, "--prompt-timeout", "1s"];
  const draw = drawFrom(seed);
  const ledger = new Ledger();
  const pay = (server: Served) => payAtOnce(AT_ONCE, server, ledger, draw);

  for (let round = 1; round <= rounds; round++) {
    const server = await serveMomo(flags, { program: disk.program });
    demand((await pay(server)) === 0, () => "payments are refused although there is space");
    disk.fill(server);
    for (let count = 0; (await pay(server)) === 0; count += AT_ONCE) {
      demand(count < MOST_PAYMENTS_UNTIL_FULL, () => "no payment was refused although the disk is full");
    }
    await demandReading(server);
    progress(`round ${round} of ${rounds}: refused ${ledger.unanswered} payments on ${disk.kind}`);
    if (round % 2 === 0) {
      await stopInTime(server);
      await startOnFullDisk(flags);
      disk.free(server);
      continue;
    }
    disk.free(server);
    demand((await pay(server)) === 0, () => "payments are refused although there is space again");
    ledger.checkFinal(await listWhenFinal(server));
    await stopInTime(server);
  }

  const server = await serveMomo(flags, { program: disk.program });
  ledger.checkFinal(await listWhenFinal(server));
  await stopInTime(server);
  integrityOf(disk.data);
  return ledger;
}

/** Reading goes on; but a list that would tell what is past its deadline to be pending fails. */
async function demandReading(server: Served): Promise<void> {
  const list = await server.get("/transactions.php");
  const { message } = (await list.json()) as { message: string };
  const isHonest = list.status === 200 || (list.status === 500 && message === "internal server error");
  demand(isHonest, () => `a full disk keeps the list from being read: ${list.status} ${message}`);
  const { status } = await fetch(`${server.ready.control_url}/accounts`);
  demand(status === 200, () => `a full disk keeps the accounts from being read: ${status}`);
}

/** It serves, or says in its own words why not. */
async function startOnFullDisk(flags: readonly string[]): Promise<void> {
  const child = startMomo(["serve", "--port", "0", ...flags]);
  const serves = await child.stdout.until(/Ready/).then(
    () => true,
    () => false, // It has ended.
  );
  if (serves) child.signal("SIGKILL");
  const exitCode = await child.exited;
  const lines = child.stderr.text.trimEnd().split("\n");
  const refused = exitCode === 1 && lines.length <= 2 && lines[0]?.startsWith("momo: ") === true;
  demand(refused || serves, () => `on a full disk: exit code ${exitCode}, ${child.stderr.text}`);
}
