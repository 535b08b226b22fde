/**
 * Fails over a PostgreSQL under load, behind HAProxy, with three replicas of momo, some of which are killed. Then it compares the
 * stored payments with the answers that the clients got: `npm run dev failover`.
 *
 *   --fail-overs N    1 to 100 (default 20)
 *   --clients N       1 to 200 (default 24)
 *
 * Proves: with a synchronous standby every answered payment is stored exactly once, under its number, the totals equal a full
 * count, and a webhook told the end of each; the silence (no answers) is at most a second longer than the time without a primary,
 * and five where the old primary comes back and keeps its sessions; stops of replicas fail no request. With an asynchronous standby
 * the audit must find losses, or it would prove nothing.
 */
import { parseArgs } from "node:util";
import { cleanUp } from "../../support/cleanup.ts";
import type { Told } from "../../support/ledger.ts";
import { failOverUnderLoad, type History, type HistoryOptions, startScene } from "./history.ts";

const SECONDS_EACH = 30;
/** How many fail-overs with an asynchronous standby are tried. */
const ASYNCHRONOUS = 4;
/** How many primaries come back. */
const COME_BACK = 2;
const MOST_EXCESS_MS = 1000;
const MOST_STALE_MS = 5000;

const say = (text: string): boolean =>
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}\n`);

function readFlags() {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { "fail-overs": text, clients: text } });
  const number = (name: string, value: string, most: number) => {
    if (!/^[1-9][0-9]{0,3}$/.test(value) || Number(value) > most) {
      say(`failover: --${name} must be a whole number from 1 to ${most}`);
      process.exit(2);
    }
    return Number(value);
  };
  return {
    failOvers: number("fail-overs", values["fail-overs"] ?? "20", 100),
    clients: number("clients", values.clients ?? "24", 200),
  };
}

const { failOvers, clients } = readFlags();
setTimeout(
  () => {
    say("failover: not done in time: something hangs");
    process.exit(1);
  },
  (120 + (failOvers + ASYNCHRONOUS + COME_BACK) * SECONDS_EACH) * 1000,
).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const spread = ({ once, more, never }: Told) => `${once} once, ${more} more often, ${never} never`;

function tell(name: string, history: History): void {
  const { answered, unanswered, stored, lost, doubled, renumbered, notFound, kills, failedByStops } = history;
  process.stdout.write(
    `${name}: ${answered} answered, ${unanswered} not, ${stored} stored, ${kills} replicas killed: ${lost} lost, ` +
      `${doubled} doubled, ${renumbered} under another number, ${notFound} not found, ` +
      `totals ${history.areTotalsTrue ? "true" : "WRONG"}; webhooks: ${spread(history.webhooks)}; ` +
      `events: ${spread(history.events)}, ${history.gaps} gaps; ${failedByStops} requests failed by stops; ` +
      `silence at most ${Math.round(history.excessMs)} ms longer than without a primary\n`,
  );
}

const scene = await startScene();

async function play(name: string, options: Pick<HistoryOptions, "failOvers" | "isSynchronous" | "comesBack">) {
  const progress = (text: string) => void say(`${name}: ${text}`);
  const timing = { pauseMs: 0, calmMs: 1500, detectMs: 1000 };
  const history = await failOverUnderLoad(scene, { ...options, clients, ...timing, progress });
  tell(name, history);
  return history;
}

function isSound(history: History, mostExcessMs: number): boolean {
  const { lost, doubled, renumbered, notFound, failedByStops, webhooks, areTotalsTrue, excessMs } = history;
  const wrong = lost + doubled + renumbered + notFound + failedByStops + webhooks.never;
  return wrong === 0 && areTotalsTrue && excessMs <= mostExcessMs;
}

const kept = await play("synchronous", { failOvers, isSynchronous: true });
const stale = await play("old primaries come back", { failOvers: COME_BACK, isSynchronous: true, comesBack: true });
const careless = await play("asynchronous", { failOvers: ASYNCHRONOUS, isSynchronous: false });
await cleanUp();
if (careless.lost === 0) say("failover: the audit has found no loss with an asynchronous standby: it proves nothing");
const isRight = isSound(kept, MOST_EXCESS_MS) && isSound(stale, MOST_STALE_MS);
process.exit(isRight && careless.lost > 0 ? 0 : 1);
