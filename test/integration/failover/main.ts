/**
 * Fails over a PostgreSQL under load, behind HAProxy, with three replicas of momo, some of which are killed. Then it compares the
 * stored payments with the answers that the clients got: `npm run dev failover`.
 *
 *   --fail-overs N    1 to 100 (default 20)
 *   --clients N       1 to 200 (default 24)
 *
 * Proves: with a synchronous standby every answered payment is stored exactly once, under its number, the totals equal a full
 * count, and a webhook told the end of each; the silence (no answers) is at most a second longer than the time without a primary. With an asynchronous standby the
 * audit must find losses, or it would prove nothing.
 */
import { parseArgs } from "node:util";
import { cleanUp } from "../../support/cleanup.ts";
import { failOverUnderLoad, type History, startScene } from "./history.ts";

const SECONDS_EACH = 30;
/** How many fail-overs with an asynchronous standby are tried. */
const ASYNCHRONOUS = 4;
const MOST_EXCESS_MS = 1000;

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
  (120 + (failOvers + ASYNCHRONOUS) * SECONDS_EACH) * 1000,
).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

function tell(name: string, history: History): void {
  const { answered, unanswered, stored, lost, doubled, renumbered, kills, excessMs, webhooks } = history;
  process.stdout.write(
    `${name}: ${answered} answered, ${unanswered} not, ${stored} stored, ${kills} replicas killed: ${lost} lost, ` +
      `${doubled} doubled, ${renumbered} under another number, totals ${history.areTotalsTrue ? "true" : "WRONG"}; ` +
      `webhooks: ${webhooks.once} once, ${webhooks.more} more often, ${webhooks.never} never; ` +
      `silence at most ${Math.round(excessMs)} ms longer than without a primary\n`,
  );
}

const scene = await startScene();

async function play(isSynchronous: boolean, failOvers: number): Promise<History> {
  const kind = isSynchronous ? "synchronous" : "asynchronous";
  const progress = (text: string) => void say(`${kind}: ${text}`);
  const timing = { pauseMs: 0, calmMs: 1500, detectMs: 1000 };
  const history = await failOverUnderLoad(scene, { failOvers, isSynchronous, clients, ...timing, progress });
  tell(kind, history);
  return history;
}

const kept = await play(true, failOvers);
const isSound = kept.lost + kept.doubled + kept.renumbered + kept.webhooks.never === 0 && kept.areTotalsTrue;
const isQuick = kept.excessMs <= MOST_EXCESS_MS;
const careless = await play(false, ASYNCHRONOUS);
await cleanUp();
if (careless.lost === 0) say("failover: the audit has found no loss with an asynchronous standby: it proves nothing");
process.exit(isSound && isQuick && careless.lost > 0 ? 0 : 1);
