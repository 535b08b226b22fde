import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { startForwarder } from "../../support/connection.ts";
import { describeWith } from "../../support/needs.ts";
import { runSql, startServer, urlOf } from "../../support/postgres.ts";
import { TIMES } from "../../support/random.ts";
import { compare } from "../../support/reconcile.ts";
import { balance, describeWithPostgres, type ReplicaServer, startReplica, VERSION } from "../../support/replicas.ts";
import { until } from "../../support/waiting.ts";
import { startLoad } from "../failover/cluster.ts";

/** The payments of the database, compared with the answers that clients got while answers of the database were lost. */

afterAll(cleanUp);

/** Answers that a round loses, by a text of the statement. */
const LOST = ["momo_insert", "COMMIT\0", "momo_insert"];
const COMMIT_DEADLINE = "4s";
/** Longer than the deadline: what was sent before gets no answer in time. */
const FROZEN_MS = 5000;

async function startDatabase() {
  const { port, data } = await startServer(VERSION, newFolder());
  const url = urlOf(port, "postgres");
  let lost: string[] = [];
  const forwarder = await startForwarder(port, (sent) => {
    const place = lost.findIndex((text) => sent.includes(text));
    if (place >= 0) lost.splice(place, 1);
    return place >= 0;
  });
  later(() => forwarder.close());
  return {
    url,
    forwarded: urlOf(forwarder.port, "postgres"),
    async loseAnswers(): Promise<void> {
      lost = [...LOST];
      await until(() => lost.length === 0);
    },
    /** Stops all processes of the server, so that it answers nothing and accepts no connection. */
    async freeze(durationMs: number): Promise<void> {
      const rows = await runSql<{ pid: number }>(url, "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
      const [main = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
      const pids = [Number(main), ...rows.map(({ pid }) => pid)];
      for (const pid of pids) signalIfAlive(pid, "SIGSTOP");
      await Bun.sleep(durationMs);
      for (const pid of pids) signalIfAlive(pid, "SIGCONT");
    },
    endConnections: () =>
      runSql(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
      ),
  };
}

function signalIfAlive(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // That session has ended.
  }
}

describeWith(["haproxy"], "three replicas behind HAProxy", () => {
  describeWithPostgres("whose database loses answers", () => {
    test("and freezes, ends connections, and of which one is killed: each answered payment is stored once and ends", async () => {
      const database = await startDatabase();
      const start = (name: string, port = "0") =>
        startReplica(database.forwarded, name, ["-q", "--port", port, "--commit-deadline", COMMIT_DEADLINE]);
      const replicas: ReplicaServer[] = [await start("a"), await start("b"), await start("c")];
      const load = startLoad(await balance(replicas), { clients: 8, pauseMs: 2 });
      let kills = 0;
      for (let round = 0; round < TIMES; round += 1) {
        await load.untilAnswered();
        await database.loseAnswers();
        await database.freeze(FROZEN_MS);
        await load.untilAnswered();
        await database.endConnections();
        const victim = replicas[round % replicas.length];
        if (!victim) continue;
        await victim.kill();
        kills += 1;
        await load.untilAnswered();
        replicas[round % replicas.length] = await start(victim.name, new URL(victim.ready.base_url).port);
      }
      await load.untilAnswered();
      await load.stop();

      const pending = "SELECT count(*)::int AS count FROM transactions WHERE status = 0";
      const countPending = async () => (await runSql<{ count: number }>(database.url, pending))[0]?.count;
      await until(countPending, (count) => count === 0);
      const all = "SELECT reference, id::float8 AS id FROM transactions";
      const rows = await runSql<{ reference: string; id: number }>(database.url, all);
      const { answered, unanswered, notFound, reasons } = load;
      const ids = new Map(answered.map(({ reference, transactionId }) => [reference, transactionId]));
      const { lost, doubled, renumbered } = compare(
        ids,
        rows.map(({ reference, id }) => [reference, id]),
      );
      const counts = { answered: answered.length, stored: rows.length, unanswered, kills };
      if (TIMES > 1) process.stdout.write(`${JSON.stringify({ ...counts, lost, doubled, renumbered, notFound })}\n`);
      expect({ lost, doubled, renumbered, notFound }).toEqual({ lost: [], doubled: [], renumbered: [], notFound: 0 });
      expect(rows.length).toBeGreaterThanOrEqual(answered.length);
      expect(await areTotalsTrue((text) => runSql(database.url, text))).toBe(true);
      expect([...reasons].join("\n")).toContain("the database did not answer, so this may be stored");
    });
  });
});
