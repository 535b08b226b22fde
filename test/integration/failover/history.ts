import { balance, type ReplicaServer, startReplica } from "../../support/replicas.ts";
import { openShop } from "../../support/shop-receiver.ts";
import { audit, type Shop, type Verdict } from "./audit.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { startLoad } from "./load.ts";

export interface HistoryOptions {
  readonly failOvers: number;
  readonly isSynchronous: boolean;
  readonly clients: number;
  /** How long a client waits after each answer. */
  readonly pauseMs: number;
  /** How long the load runs before and after each fail-over. */
  readonly calmMs: number;
  /** How long a manager takes to be sure that the primary has ended. */
  readonly detectMs: number;
  readonly progress: (text: string) => void;
}

export interface History extends Verdict {
  readonly answered: number;
  readonly unanswered: number;
  readonly kills: number;
  /** How much longer than the time without a primary the clients got no answer, at most. */
  readonly excessMs: number;
}

/** A PostgreSQL without a standby, and three replicas on it. */
export interface Scene {
  readonly cluster: Cluster;
  readonly replicas: ReplicaServer[];
  /** Gets the webhooks of all replicas. */
  readonly shop: Shop & { readonly url: string };
}

/** How long before a fail-over a replica is killed, and an asynchronous standby gets nothing. */
const BEFORE_MS = 300;

export async function startScene(): Promise<Scene> {
  const cluster = await startCluster();
  const shop = openShop();
  const replicas: ReplicaServer[] = [];
  for (const name of ["a", "b", "c"]) replicas.push(await startReplica(cluster.url, name, ["--webhook", shop.url]));
  return { cluster, replicas, shop };
}

/** Fails over again and again under load, kills a replica every second time, and compares the payments with the answers. */
export async function failOverUnderLoad({ cluster, replicas, shop }: Scene, options: HistoryOptions): Promise<History> {
  const { failOvers, isSynchronous, calmMs, detectMs, progress } = options;
  const load = startLoad(await balance(replicas), options);
  let [kills, excessMs] = [0, Number.NEGATIVE_INFINITY];
  for (let round = 1; round <= failOvers; round += 1) {
    await cluster.rebuild(isSynchronous);
    await Bun.sleep(calmMs);
    load.takeSilenceMs();
    const before = load.answered.length;
    const place = round % 2 === 0 ? (round / 2) % replicas.length : -1;
    const victim = replicas[place]; // none at -1
    if (victim) {
      kills += 1;
      await victim.kill();
      await Bun.sleep(BEFORE_MS);
    }
    const outageMs = await cluster.failOver(isSynchronous ? 0 : BEFORE_MS, detectMs);
    await Bun.sleep(calmMs);
    const silenceMs = load.takeSilenceMs();
    excessMs = Math.max(excessMs, silenceMs - outageMs);
    progress(
      `fail-over ${round}: no primary for ${Math.round(outageMs)} ms, silence ${Math.round(silenceMs)} ms, ` +
        `${load.answered.length - before} answered, ${load.unanswered} not so far${victim ? `, ${victim.name} killed` : ""}`,
    );
    if (victim) {
      const { port } = new URL(victim.ready.base_url);
      replicas[place] = await startReplica(cluster.url, victim.name, ["--port", port, "--webhook", shop.url]);
    }
  }
  await load.stop();
  for (const [reason, count] of load.reasons) progress(`not answered: ${count} × ${reason.replaceAll(/\s+/g, " ")}`);
  const verdict = await audit(cluster.primaryUrl(), load.answered, shop);
  return { ...verdict, answered: load.answered.length, unanswered: load.unanswered, kills, excessMs };
}
