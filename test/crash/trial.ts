import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { later, newFolder } from "../support/cleanup.ts";
import { startCountingReceiver } from "../support/fake-server.ts";
import { type RunOptions, type Served, serveMomo } from "../support/momo.ts";
import { named } from "../support/needs.ts";
import { type Draw, drawFrom, SEED, TIMES } from "../support/random.ts";
import { demand } from "../support/reconcile.ts";
import { SLACK_MS } from "../support/waiting.ts";
import { listWhenFinal, payAtOnce } from "./clients.ts";
import { type Item, Ledger } from "./ledger.ts";

/**
 * A running momo is broken, and its data are compared with the answers that its clients got: every payment that was answered is
 * there, none is doubled or changed, none that was refused is stored, each has its expected end, and a webhook told it.
 */

interface Options {
  /** `npm run dev crash` plays many times as many. */
  readonly rounds: number;
  /** Why this machine cannot play it; empty if it can. */
  readonly impossible?: string;
}

/** Defines a test. @param play throws an error that names the broken promise */
export function testByTrial(
  promise: string,
  { rounds, impossible = "" }: Options,
  play: (trial: Trial) => Promise<void>,
) {
  test.concurrent.skipIf(impossible !== "")(named(promise, impossible), async () => {
    const trial = new Trial(rounds * TIMES);
    await play(trial);
    const server = await trial.serve();
    await trial.demandWebhooks(await trial.demandFinal(server));
    await stopInTime(server);
    demandSoundDatabase(trial.data);
    const { ledger, webhooks } = trial;
    expect(ledger.answered).toBeGreaterThan(0);
    if (TIMES === 1) return;
    const figures = `${ledger.answered} payments answered and ${ledger.unanswered} not, webhooks: ${webhooks}`;
    console.log(`${promise}\n  ${trial.rounds} rounds, ${figures}`);
  });
}

const AT_ONCE = 20;
const STOP_WITHIN_MS = 3000;

/** The data directory of a test, and the answers that its clients got. */
export class Trial {
  readonly folder = newFolder();
  readonly data = join(this.folder, "data");
  readonly receiver = startCountingReceiver();
  readonly flags: readonly string[] = ["--data", this.data, "--prompt-timeout", "1s", "--webhook", this.receiver.url];
  readonly ledger = new Ledger();
  readonly draw: Draw = drawFrom(SEED);
  readonly rounds: number;
  #once = 0;
  #more = 0;

  constructor(rounds: number) {
    this.rounds = rounds;
  }

  async eachRound(play: (round: number) => Promise<void>): Promise<void> {
    for (let round = 1; round <= this.rounds; round++) {
      try {
        await play(round);
      } catch (error) {
        throw new Error(`round ${round} of seed ${SEED}: ${(error as Error).message}`, { cause: error });
      }
    }
  }

  serve(options?: RunOptions): Promise<Served> {
    return serveMomo(["--quiet", ...this.flags], options);
  }

  /** Starts some payments at once. @returns how many were refused */
  pay(server: Served): Promise<number> {
    return payAtOnce(AT_ONCE, server, this.ledger, this.draw);
  }

  async demandPayments(server: Served): Promise<void> {
    const refused = await this.pay(server);
    demand(refused === 0, () => `${refused} payments are refused although nothing fails`);
  }

  /** A webhook has told the end of each of these payments. */
  async demandWebhooks(items: readonly Item[]): Promise<void> {
    const { once, more, never } = await this.receiver.told(items.map(({ id }) => id));
    demand(never === 0, () => `no webhook came for ${never} payments`);
    this.#once += once;
    this.#more += more;
  }

  get webhooks(): string {
    return `${this.#once} once, ${this.#more} more often`;
  }

  /** Every payment has ended as expected. */
  async demandFinal(server: Served): Promise<Item[]> {
    const items = await listWhenFinal(server);
    this.ledger.checkFinal(items);
    return items;
  }
}

/** @throws an error if it takes too long, or the exit code is not 0 */
export async function stopInTime(server: Served): Promise<void> {
  const startedMs = performance.now();
  const exitCode = await server.stop();
  const tookMs = performance.now() - startedMs;
  demand(exitCode === 0, () => `stopped with exit code ${exitCode}: ${server.child.stderr.text.slice(-300)}`);
  demand(tookMs < STOP_WITHIN_MS + SLACK_MS, () => `it took ${tookMs.toFixed(0)} ms to stop`);
}

/** Checks the database file without momo. */
function demandSoundDatabase(data: string): void {
  const client = new Database(join(data, "momo.db"), { readonly: true });
  const first = client.query("PRAGMA integrity_check").get();
  const orphans = client.query("PRAGMA foreign_key_check").all();
  client.close();
  demand(Bun.deepEquals(first, { integrity_check: "ok" }), () => `the database is damaged: ${JSON.stringify(first)}`);
  demand(orphans.length === 0, () => `rows refer to rows that do not exist: ${JSON.stringify(orphans)}`);
}

export const isRoot = (): boolean => process.getuid?.() === 0;

/** @returns whether the command succeeded */
export function run(...command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stderr: "ignore" }).success;
}

let mountable: boolean | undefined;

/** Why nothing can be mounted here; empty if it can. */
export function whyNoMount(): string {
  if (process.platform !== "linux" || !isRoot()) return "only root on Linux can mount";
  mountable ??= run("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt");
  return mountable ? "" : "nothing can be mounted here";
}

/** Mounts a small file system in memory on a folder, until the end. */
export function mountSmall(folder: string, megabytes = 6): void {
  const mount = ["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  if (!run(...mount)) throw new Error(`${mount.join(" ")} has failed`);
  const unmount = () => run("umount", "--lazy", folder);
  later(unmount);
  process.on("exit", unmount); // if the program is interrupted
}
