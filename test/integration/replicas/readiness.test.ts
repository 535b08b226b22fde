import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { mountSmall, whyNoMount } from "../../crash/trial.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { connectTo, startForwarder } from "../../support/connection.ts";
import { startCountingReceiver } from "../../support/fake-server.ts";
import { describeWith, named } from "../../support/needs.ts";
import { holdTransaction, newDatabase, runSql, sharedServer, startServer, urlOf } from "../../support/postgres.ts";
import {
  balance,
  describeWithPostgres,
  emptyDatabase,
  type ReplicaServer,
  startReplica,
} from "../../support/replicas.ts";
import { SLACK_MS, until } from "../../support/waiting.ts";
import { startLoad } from "../failover/cluster.ts";

afterAll(cleanUp);

const readinessOf = async ({ ask }: ReplicaServer) => {
  const response = await ask("GET", "/ready");
  return `${response.status} ${((await response.json()) as { message: string }).message}`;
};

/** Readiness names the reason while `isBroken`, and is back within a second after `mend`. */
async function expectReadiness(replica: ReplicaServer, reason: RegExp, mend: () => unknown): Promise<void> {
  await until(
    () => readinessOf(replica),
    (said) => said.startsWith("503 momo accepts no payments: ") && reason.test(said),
  );
  await mend();
  const mendedMs = performance.now();
  await until(async () => (await readinessOf(replica)).startsWith("200 "));
  expect(performance.now() - mendedMs).toBeLessThan(1000 + SLACK_MS);
}

describeWithPostgres("a replica that cannot store payments is not ready, and the log says what helps", () => {
  test("a lost right on any table that a payment needs, or on the sequence", async () => {
    const database = await newDatabase(await sharedServer("15"));
    await runSql(
      database,
      "CREATE ROLE teller LOGIN",
      "GRANT ALL ON ALL TABLES IN SCHEMA public TO teller",
      "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO teller",
    );
    const replica = await startReplica(database.replace("momo@", "teller@"), "a");
    await replica.pay();
    for (const [right, object] of [
      ["USAGE, UPDATE", "SEQUENCE transaction_numbers"],
      ["INSERT", "TABLE transactions"],
      ["UPDATE", "TABLE transactions"],
      ["UPDATE", "TABLE day_totals"],
      ["SELECT", "TABLE payment_accounts"],
      ["SELECT", "TABLE api_keys"],
      ["UPDATE", "TABLE replicas"],
    ]) {
      await runSql(database, `REVOKE ${right} ON ${object} FROM teller`);
      const reason = /permission denied for (?:table|sequence)|the settings that all replicas share/;
      await expectReadiness(replica, reason, () => runSql(database, `GRANT ${right} ON ${object} TO teller`));
    }
    await replica.pay();
    expect(replica.child.stderr.text).toMatch(
      /^momo: the database fails: permission denied for sequence transaction_numbers; run GRANT ALL ON ALL TABLES IN SCHEMA public TO teller and GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO teller\n/,
    );
    await replica.stop();
  });

  test("a locked table", async () => {
    const database = await newDatabase(await sharedServer("15"));
    const replica = await startReplica(database, "a");
    const release = await holdTransaction(database, "LOCK TABLE transactions IN EXCLUSIVE MODE");
    await expectReadiness(replica, /another session has locked a table/, release);
    await replica.stop();
  });

  test("a database that cannot be reached: payments are refused, and momo is alive; later it recovers by itself", async () => {
    const server = await sharedServer("15");
    const forwarder = await startForwarder(server.port);
    later(() => forwarder.close());
    const url = new URL(await newDatabase(server));
    url.port = String(forwarder.port);
    const replica = await startReplica(url.href, "a", ["--commit-deadline", "4s"]);
    forwarder.cut();
    expect(await replica.pay().catch((error: Error) => error.message)).toMatch(/^the payment: 50[03] /);
    expect((await replica.ask("GET", "/health")).status).toBe(200);
    await expectReadiness(replica, /the database (?:cannot|did not|has)/, () => forwarder.mend());
    const id = await replica.pay({}, "completed; after=10ms");
    await until(async () => (await replica.statusOf(id)) === "completed");
    expect(replica.child.stderr.text).not.toMatch(/^\s+at /m);
    await replica.stop();
  });

  const why = whyNoMount();
  test.skipIf(why !== "")(named("a full disk", why), async () => {
    const folder = newFolder();
    mountSmall(folder, 80);
    const { port, stop } = await startServer("15", folder);
    const replica = await startReplica(urlOf(port, "postgres"), "a", ["-q"]);
    const filler = join(folder, "filler");
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=4k"], { stderr: "ignore" });
    await until(
      () => Promise.all(Array.from({ length: 50 }, () => replica.pay().catch(String))),
      (answers) => answers.some((answer) => answer.includes("500 internal server error")),
    );
    await expectReadiness(replica, /disk/, () => rmSync(filler));
    await replica.pay();
    expect(replica.child.stderr.text.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^momo: the database fails: the disk of the database is full or fails; free some space/),
    ]);
    await replica.stop();
    stop("immediate");
  });
});

describeWithPostgres("a stop", () => {
  describeWith(["haproxy"], "behind HAProxy", () => {
    test("three stops under load: no request is refused or reset, and each payment has its webhook", async () => {
      const receiver = startCountingReceiver();
      const database = await emptyDatabase();
      const start = (name: string) => startReplica(database, name, ["--drain", "2s", "--webhook", receiver.url]);
      const replicas = [await start("a"), await start("b"), await start("c"), await start("d")];
      const load = startLoad(await balance(replicas), { clients: 16, pauseMs: 50 });
      for (const replica of replicas.slice(0, 3)) {
        const before = load.answered.length;
        expect(await replica.stop()).toBe(0);
        expect(load.answered.length).toBeGreaterThan(before);
      }
      await load.stop();
      expect([...load.reasons]).toEqual([]);
      expect(load.notFound).toBe(0);
      const { never } = await receiver.told(load.answered.map(({ transactionId }) => transactionId));
      expect(never).toBe(0);
      await replicas[3]?.stop();
    });
  });

  test("says so at once to load balancers, closes each connection after its answer, and ends after --drain", async () => {
    const replica = await startReplica(await emptyDatabase(), "a", ["--drain", "1500ms"]);
    const kept = await connectTo(replica.ready.base_url);
    const startedMs = performance.now();
    const stopped = replica.stop();
    await until(async () => (await replica.ask("GET", "/ready")).status === 503);
    expect((await replica.ask("GET", "/health")).status).toBe(200);
    kept.write("GET /v2/transactions.php HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await kept.received.until(/^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/i);
    await kept.closed;
    await replica.pay();
    expect(await stopped).toBe(0);
    expect(performance.now() - startedMs).toBeGreaterThan(1500);
    expect(performance.now() - startedMs).toBeLessThan(1500 + 3000 + SLACK_MS);
  });

  test.each(["cut", "swallow"] as const)(
    "ends with 0 in three seconds where nothing reaches the database any more: %s",
    async (act) => {
      const server = await sharedServer("15");
      const forwarder = await startForwarder(server.port);
      later(() => forwarder.close());
      const url = new URL(await newDatabase(server));
      url.port = String(forwarder.port);
      const replica = await startReplica(url.href, "a");
      await replica.pay({}, "completed; after=10ms");
      forwarder[act]();
      const answers = Array.from({ length: 5 }, () => replica.pay().catch((error: Error) => error.message));
      await until(async () => (await replica.ask("GET", "/ready")).status === 503);
      const startedMs = performance.now();
      expect(await replica.stop()).toBe(0);
      expect(performance.now() - startedMs).toBeLessThan(3000 + SLACK_MS);
      for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^the payment: 503 /);
      expect(replica.child.stderr.text).not.toMatch(/^\s+at |the store was closed/m);
    },
    60_000,
  );

  test("ends at the second signal", async () => {
    const replica = await startReplica(await emptyDatabase(), "a", ["--drain", "60s"]);
    replica.child.signal("SIGTERM");
    await until(async () => (await replica.ask("GET", "/ready")).status === 503);
    await Bun.sleep(700); // an earlier one would count as the same
    replica.child.signal("SIGTERM");
    expect(await replica.child.exited).toBe(143);
  });
});
