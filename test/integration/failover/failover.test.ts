import { afterAll, beforeAll, expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { startCountingReceiver } from "../../support/fake-server.ts";
import { describeWith } from "../../support/needs.ts";
import { runSql } from "../../support/postgres.ts";
import { TIMES } from "../../support/random.ts";
import { compare, Tellings } from "../../support/reconcile.ts";
import { balance, describeWithPostgres, type ReplicaServer, startReplica } from "../../support/replicas.ts";
import { until } from "../../support/waiting.ts";
import { type Answered, type Cluster, startCluster, startLoad } from "./cluster.ts";

/** The payments of the database, compared with the answers that clients got during fail-overs. `npm run dev failover` is a long run. */

afterAll(cleanUp);

const isLong = TIMES > 1;
const LOAD = isLong ? { clients: 24, pauseMs: 0 } : { clients: 8, pauseMs: 25 };
/** How long the load runs before and after each fail-over. */
const CALM_MS = isLong ? 1500 : 300;
/** How long a manager takes to be sure that the primary has ended. */
const DETECT_MS = isLong ? 1000 : 300;
/** How long a commit waits for its answer, such as one of a replaced primary that has no standby. */
const COMMIT_DEADLINE_MS = 4000;
/** How long before a fail-over a replica is killed, and an asynchronous standby gets nothing. */
const BEFORE_MS = 300;

let cluster: Cluster;
const receiver = startCountingReceiver();
const listeners = openListeners();
const replicas: ReplicaServer[] = [];

async function start(place: number, name: string, port = "0"): Promise<void> {
  const commits = ["--commit-deadline", `${COMMIT_DEADLINE_MS / 1000}s`];
  const flags = ["-q", "--port", port, "--drain", "1s", "--webhook", receiver.url, ...commits];
  const replica = await startReplica(cluster.url, name, flags);
  listeners.listen(replica.ready.control_url);
  replicas[place] = replica;
}

const startAgain = (place: number, { name, ready }: ReplicaServer) => start(place, name, new URL(ready.base_url).port);

interface FailOvers {
  readonly count: number;
  readonly isSynchronous?: boolean;
  /** Whether each primary comes back as one that was replaced. Then replicas run on; else some are killed. */
  readonly comesBack?: boolean;
}

/** Fails over again and again under load, kills a replica every second time, and compares the payments with the answers. */
async function failOver({ count, isSynchronous = true, comesBack = false }: FailOvers) {
  const load = startLoad(await balance(replicas), LOAD);
  /** How much longer than the time without a primary the clients got no answer, at most. */
  let [kills, excessMs] = [0, Number.NEGATIVE_INFINITY];
  for (let round = 1; round <= count; round += 1) {
    await cluster.rebuild(isSynchronous);
    await Bun.sleep(CALM_MS);
    load.takeSilenceMs();
    const place = round % 2 === 0 && !comesBack ? (round / 2) % replicas.length : -1;
    const victim = replicas[place]; // none at -1
    if (victim) {
      kills += 1;
      await victim.kill();
      await Bun.sleep(BEFORE_MS);
    }
    const outageMs = await cluster.failOver(isSynchronous ? 0 : BEFORE_MS, DETECT_MS, comesBack);
    await load.untilAnswered();
    await Bun.sleep(CALM_MS);
    excessMs = Math.max(excessMs, load.takeSilenceMs() - outageMs);
    if (victim) await startAgain(place, victim);
  }
  await load.stop();
  const { answered, unanswered, notFound } = load;
  const events = listeners.told(answered);
  const counts = { answered: answered.length, unanswered, notFound, kills, excessMs };
  const history = { ...(await audit(answered)), ...counts, events, gaps: listeners.gaps };
  if (isLong) process.stdout.write(`${JSON.stringify(history)}\n`);
  return history;
}

async function audit(answered: readonly Answered[]) {
  const url = cluster.primaryUrl();
  const pending = "SELECT count(*)::int AS count FROM transactions WHERE status = 0";
  await until(
    () => runSql<{ count: number }>(url, pending),
    ([row]) => row?.count === 0,
  );
  const all = "SELECT reference, id::float8 AS id FROM transactions ORDER BY id";
  const rows = await runSql<{ reference: string; id: number }>(url, all);
  const { lost, doubled, renumbered } = compare(
    new Map(answered.map(({ reference, transactionId }) => [reference, transactionId])),
    rows.map(({ reference, id }) => [reference, id]),
  );
  return {
    stored: rows.length,
    lost: lost.length,
    doubled: doubled.length,
    renumbered: renumbered.length,
    webhooks: await receiver.told(rows.map(({ id }) => id)),
    areTotalsTrue: await areTotalsTrue((text) => runSql(url, text)),
  };
}

/** A listener to the events of each replica, which counts how often each payment ended. What it is not told is in a gap. */
function openListeners() {
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
    told: (payments: readonly Answered[]) => ended.of(payments.map(({ transactionId }) => transactionId)),
  };
}

describeWith(["haproxy"], "three replicas behind HAProxy, and a fail-over under load", () => {
  describeWithPostgres("of their database", () => {
    beforeAll(async () => {
      cluster = await startCluster();
      later(() => cluster.close());
      for (const [place, name] of ["a", "b", "c"].entries()) await start(place, name);
    });

    /** Each answered payment is stored once, under its number, and found; a webhook told its end. */
    async function expectSound(failOvers: FailOvers, mostExcessMs: number): Promise<void> {
      const history = await failOver(failOvers);
      expect(history).toMatchObject({
        ...{ lost: 0, doubled: 0, renumbered: 0, notFound: 0, areTotalsTrue: true },
        webhooks: { never: 0 },
      });
      expect(history.answered).toBeGreaterThan(10);
      expect(history.stored).toBeGreaterThanOrEqual(history.answered);
      // How long a slow machine takes says nothing; that clients get answers again is shown by untilAnswered.
      if (isLong) expect(history.excessMs).toBeLessThanOrEqual(mostExcessMs);
    }

    test("to a synchronous standby: every answered payment is stored once, a webhook tells each, and the totals equal a full count", () =>
      expectSound({ count: TIMES }, 1000));

    test("to a synchronous standby, and the old primary comes back and keeps its sessions: the same is true", () =>
      expectSound({ count: Math.min(TIMES, 2), comesBack: true }, COMMIT_DEADLINE_MS + 1000));

    test("to an asynchronous standby that lags: the same audit finds the losses", async () => {
      expect((await failOver({ count: Math.min(TIMES, 4), isSynchronous: false })).lost).toBeGreaterThan(0);
    });
  });
});
