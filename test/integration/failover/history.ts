import { createParser } from "eventsource-parser";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { openShop } from "../../support/fake-server.ts";
import { compare, Tellings, type Told } from "../../support/ledger.ts";
import { runSql } from "../../support/postgres.ts";
import { balance, type ReplicaServer, startReplica } from "../../support/replicas.ts";
import { until } from "../../support/waiting.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { type Answered, type Load, startLoad } from "./load.ts";

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
  /** Whether each primary comes back as one that was replaced. Then replicas run on; else some are killed, and each is stopped in the end. */
  readonly comesBack?: boolean;
  readonly progress: (text: string) => void;
}

export interface History extends Verdict {
  readonly answered: number;
  readonly unanswered: number;
  readonly kills: number;
  /** Answered payments that a replica did not find. */
  readonly notFound: number;
  /** Requests that failed while replicas were stopped. */
  readonly failedByStops: number;
  /** What listeners were not told is in a gap: read again. Two replicas can find that they wrote the same outcome. */
  readonly events: Told;
  readonly gaps: number;
  /** How much longer than the time without a primary the clients got no answer, at most. */
  readonly excessMs: number;
}

/** A PostgreSQL without a standby, and three replicas on it. */
export interface Scene {
  readonly cluster: Cluster;
  readonly replicas: ReplicaServer[];
  /** Gets the webhooks of all replicas. */
  readonly shop: Shop & { readonly url: string };
  readonly listeners: ReturnType<typeof openListeners>;
}

/** How long before a fail-over a replica is killed, and an asynchronous standby gets nothing. */
const BEFORE_MS = 300;

export async function startScene(): Promise<Scene> {
  const scene: Scene = { cluster: await startCluster(), shop: openShop(), replicas: [], listeners: openListeners() };
  for (const [place, name] of ["a", "b", "c"].entries()) await start(scene, place, name, "0");
  return scene;
}

async function start({ cluster, shop, replicas, listeners }: Scene, place: number, name: string, port: string) {
  const flags = ["-q", "--port", port, "--drain", "1s", "--webhook", shop.url];
  const replica = await startReplica(cluster.url, name, flags);
  listeners.listen(replica.ready.control_url);
  replicas[place] = replica;
}

const portOf = ({ ready }: ReplicaServer): string => new URL(ready.base_url).port;

/** Stops each replica, and starts it again. @returns how many requests failed */
async function stopEach(scene: Scene, load: Load): Promise<number> {
  const before = load.unanswered;
  for (const [place, replica] of [...scene.replicas.entries()]) {
    await replica.stop();
    await start(scene, place, replica.name, portOf(replica));
  }
  return load.unanswered - before;
}

/** Fails over again and again under load, kills a replica every second time, and compares the payments with the answers. */
export async function failOverUnderLoad(scene: Scene, options: HistoryOptions): Promise<History> {
  const { cluster, replicas, shop, listeners } = scene;
  const { failOvers, isSynchronous, calmMs, detectMs, comesBack = false, progress } = options;
  const load = startLoad(await balance(replicas), options);
  let [kills, excessMs] = [0, Number.NEGATIVE_INFINITY];
  for (let round = 1; round <= failOvers; round += 1) {
    await cluster.rebuild(isSynchronous);
    await Bun.sleep(calmMs);
    load.takeSilenceMs();
    const before = load.answered.length;
    const place = round % 2 === 0 && !comesBack ? (round / 2) % replicas.length : -1;
    const victim = replicas[place]; // none at -1
    if (victim) {
      kills += 1;
      await victim.kill();
      await Bun.sleep(BEFORE_MS);
    }
    const outageMs = await cluster.failOver(isSynchronous ? 0 : BEFORE_MS, detectMs, comesBack);
    await load.untilAnswered();
    await Bun.sleep(calmMs);
    const silenceMs = load.takeSilenceMs();
    excessMs = Math.max(excessMs, silenceMs - outageMs);
    progress(
      `fail-over ${round}: no primary for ${Math.round(outageMs)} ms, silence ${Math.round(silenceMs)} ms, ` +
        `${load.answered.length - before} answered, ${load.unanswered} not so far${victim ? `, ${victim.name} killed` : ""}`,
    );
    if (victim) await start(scene, place, victim.name, portOf(victim));
  }
  const failedByStops = comesBack ? 0 : await stopEach(scene, load);
  await load.stop();
  for (const [reason, count] of load.reasons) progress(`not answered: ${count} × ${reason.replaceAll(/\s+/g, " ")}`);
  const verdict = await audit(cluster.primaryUrl(), load.answered, shop);
  const { answered, unanswered, notFound } = load;
  const events = listeners.told(answered.map(({ transactionId }) => transactionId));
  const counts = { answered: answered.length, unanswered, notFound, failedByStops, kills, excessMs };
  return { ...verdict, ...counts, events, gaps: listeners.gaps };
}

export type Shop = Pick<ReturnType<typeof openShop>, "told">;

/** The payments of the database, compared with the answers that the clients got. */
export interface Verdict {
  readonly stored: number;
  /** Answered payments that are missing. */
  readonly lost: number;
  /** References that are stored twice. */
  readonly doubled: number;
  /** Payments that have another number than in their answer. */
  readonly renumbered: number;
  readonly areTotalsTrue: boolean;
  readonly webhooks: Told;
}

async function audit(url: string, answered: readonly Answered[], shop: Shop): Promise<Verdict> {
  await until(
    () => runSql<{ count: number }>(url, "SELECT count(*)::int AS count FROM transactions WHERE status = 0"),
    ([row]) => row?.count === 0,
  );
  const rows = await runSql<{ reference: string; id: number }>(
    url,
    "SELECT reference, id::float8 AS id FROM transactions ORDER BY id",
  );
  const { lost, doubled, renumbered } = compare(
    new Map(answered.map(({ reference, transactionId }) => [reference, transactionId])),
    rows.map(({ reference, id }) => [reference, id]),
  );
  return {
    stored: rows.length,
    lost: lost.length,
    doubled: doubled.length,
    renumbered: renumbered.length,
    webhooks: await shop.told(rows.map(({ id }) => id)),
    areTotalsTrue: await areTotalsTrue((text) => runSql(url, text)),
  };
}

/** A listener to the events of each replica, which counts how often each payment ended. */
export function openListeners() {
  const ended = new Tellings();
  let gaps = 0;
  async function read(controlUrl: string): Promise<void> {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === "gap") gaps += 1;
        if (event !== "transaction") return;
        const { id, status } = JSON.parse(data) as { id: number; status: string };
        if (status !== "pending") ended.add(id);
      },
    });
    const { body } = await fetch(`${controlUrl}/events`);
    for await (const part of body ?? []) parser.feed(decoder.decode(part, { stream: true }));
  }
  return {
    /** Listens until the replica ends. */
    listen: (controlUrl: string): void => void read(controlUrl).catch(() => {}), // it was killed
    get gaps() {
      return gaps;
    },
    told: (ids: readonly number[]): Told => ended.of(ids),
  };
}
