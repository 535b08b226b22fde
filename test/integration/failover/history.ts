import { balance, type ReplicaServer, startReplica } from "../../support/replicas.ts";
import { audit, type Verdict } from "./audit.ts";
import { startCluster } from "./cluster.ts";
import { startLoad } from "./load.ts";

export interface HistoryOptions {
  readonly failOvers: number;
  readonly isSynchronous: boolean;
  readonly clients: number;
  readonly progress: (text: string) => void;
}

export interface History extends Verdict {
  readonly answered: number;
  readonly unanswered: number;
  readonly kills: number;
  /** By how much the longest silence of a fail-over exceeded the time without a primary, at most. */
  readonly excessMs: number;
}

const NAMES = ["a", "b", "c"] as const;
const CALM_MS = 1500;
/** How long before a fail-over a replica is killed, and an asynchronous standby gets nothing. */
const BEFORE_MS = 300;

/** Fails over again and again under load, with three replicas of which every second time one is killed, and audits what is left. */
export async function failOverUnderLoad(options: HistoryOptions): Promise<History> {
  const { failOvers, isSynchronous, clients, progress } = options;
  const cluster = await startCluster(isSynchronous);
  const replicas: ReplicaServer[] = [];
  for (const name of NAMES) replicas.push(await startReplica(cluster.url, name, ["--port", "0"]));
  const load = startLoad(await balance(replicas), clients);
  let [kills, excessMs] = [0, Number.NEGATIVE_INFINITY];
  for (let round = 1; round <= failOvers; round += 1) {
    await Bun.sleep(CALM_MS);
    load.takeSilenceMs();
    const before = load.answered.length;
    const victim = round % 2 === 0 ? (round / 2) % NAMES.length : null;
    if (victim !== null) {
      kills += 1;
      await replicas[victim]?.kill();
      await Bun.sleep(BEFORE_MS);
    }
    const outageMs = await cluster.failOver(isSynchronous ? 0 : BEFORE_MS);
    await Bun.sleep(CALM_MS);
    const silenceMs = load.takeSilenceMs();
    excessMs = Math.max(excessMs, silenceMs - outageMs);
    const killed = victim === null ? "" : `, ${NAMES[victim]} killed`;
    progress(
      `fail-over ${round}: no primary for ${Math.round(outageMs)} ms, silence ${Math.round(silenceMs)} ms, ` +
        `${load.answered.length - before} answered, ${load.unanswered} not so far${killed}`,
    );
    if (victim !== null) {
      const port = new URL(replicas[victim]?.ready.base_url ?? "").port;
      replicas[victim] = await startReplica(cluster.url, NAMES[victim] ?? "", ["--port", port]);
    }
    await cluster.rebuild();
  }
  await load.stop();
  for (const [reason, count] of load.reasons) progress(`not answered: ${count} × ${reason.replaceAll(/\s+/g, " ")}`);
  const verdict = await audit(cluster.primaryUrl(), load.answered);
  return { ...verdict, answered: load.answered.length, unanswered: load.unanswered, kills, excessMs };
}
