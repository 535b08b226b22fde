import { Database } from "bun:sqlite";
import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { demand } from "../support/ledger.ts";
import { type RunOptions, type Served, serveMomo } from "../support/momo.ts";
import { type Draw, drawFrom } from "../support/random.ts";
import { openShop } from "../support/shop-receiver.ts";
import { SLACK_MS } from "../support/waiting.ts";
import { listWhenFinal, payAtOnce } from "./clients.ts";
import { type Item, Ledger } from "./ledger.ts";

export interface Options {
  readonly rounds: number;
  readonly seed: number;
  readonly progress: (text: string) => void;
}

/** What a scenario did, for the table at the end. */
export interface Figures {
  readonly title: string;
  readonly rounds: number;
  /** Payments that were answered and then compared with what the server has. */
  readonly answered: number;
  /** Requests that the server refused, or did not answer because it died: stored once or not at all. */
  readonly unanswered: number;
  readonly note: string;
}

export interface Scenario {
  readonly title: string;
  /** The name of its test, which plays only the first rounds. */
  readonly promise: string;
  readonly shortRounds: number;
  /** The number of rounds for a number of kills. */
  rounds(kills: number): number;
  /** Why this machine cannot play it; empty if it can. */
  impossible?(): string;
  /** @returns a note for the table @throws an error that names the broken promise */
  play(trial: Trial): Promise<string>;
}

const AT_ONCE = 20;
const STOP_WITHIN_MS = 3000;
const ROUNDS_BETWEEN_PROGRESS = 10;

/** The data directory of a scenario, and the answers that its clients got. */
export class Trial {
  readonly folder = newFolder();
  readonly data = join(this.folder, "data");
  readonly shop = openShop();
  readonly flags: readonly string[] = ["--data", this.data, "--prompt-timeout", "1s", "--webhook", this.shop.url];
  readonly ledger = new Ledger();
  readonly draw: Draw;
  readonly #options: Options;
  #once = 0;
  #more = 0;

  constructor(options: Options) {
    this.#options = options;
    this.draw = drawFrom(options.seed);
  }

  async eachRound(play: (round: number) => Promise<void>): Promise<void> {
    const { rounds, progress } = this.#options;
    for (let round = 1; round <= rounds; round++) {
      try {
        await play(round);
      } catch (error) {
        throw new Error(`round ${round}: ${(error as Error).message}`);
      }
      if (round % ROUNDS_BETWEEN_PROGRESS === 0) {
        progress(`round ${round} of ${rounds}: ${this.ledger.answered} payments answered`);
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
    const { once, more, never } = await this.shop.told(items.map(({ id }) => id));
    demand(never === 0, () => `no webhook came for ${never} payments`);
    this.#once += once;
    this.#more += more;
  }

  /** How often webhooks came, for the table. */
  get webhooks(): string {
    return `webhooks: ${this.#once} once, ${this.#more} more often, 0 never`;
  }

  /** Every payment has ended as expected. */
  async demandFinal(server: Served): Promise<Item[]> {
    const items = await listWhenFinal(server);
    this.ledger.checkFinal(items);
    return items;
  }
}

/** @returns how long it took, in milliseconds @throws an error if that is too long, or the exit code is not 0 */
export async function stopInTime(server: Served): Promise<number> {
  const startedMs = performance.now();
  const exitCode = await server.stop();
  const tookMs = performance.now() - startedMs;
  demand(exitCode === 0, () => `stopped with exit code ${exitCode}: ${server.child.stderr.text.slice(-300)}`);
  demand(tookMs < STOP_WITHIN_MS + SLACK_MS, () => `it took ${tookMs.toFixed(0)} ms to stop`);
  return tookMs;
}

/**
 * Plays a scenario, and then checks that every answered payment is there, in a database without damage, and that a webhook told
 * the end of each.
 */
export async function runScenario({ title, play }: Scenario, options: Options): Promise<Figures> {
  const trial = new Trial(options);
  const note = await play(trial);
  const server = await trial.serve();
  await trial.demandWebhooks(await trial.demandFinal(server));
  await stopInTime(server);
  demandSoundDatabase(trial.data);
  const { answered, unanswered } = trial.ledger;
  return {
    title,
    rounds: options.rounds,
    answered,
    unanswered,
    note: [note, trial.webhooks].filter(Boolean).join("; "),
  };
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
