import { afterEach, expect, test } from "bun:test";
import { createSteeringTable } from "../../../src/store/postgres/postgres.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { describePostgres, openReplica, openShop, runSql } from "../../support/postgres.ts";
import { rejectionOf } from "../../support/waiting.ts";

/** The document that all replicas follow, and the leases of the replicas. */

afterEach(cleanUp);

const LEASE_MS = 3000;

describePostgres((version) => {
  /** Replicas on one database. Its clock goes on only while one of them waits, which `onWait` sees. */
  async function openReplicas() {
    const { url, store } = await openShop(version);
    let nowMs = 1_800_000_000_000;
    let onWait = async () => {};
    const clock = {
      ...{ nowMs: () => nowMs, offsetMs: 0, state: "known" as const },
      alarm(atMs: number, ring: () => void) {
        nowMs = atMs;
        void onWait().then(ring);
        return () => {};
      },
    };
    return {
      open: (name: string, boot: string) => createSteeringTable(store.sql, clock, name, boot),
      pass: (durationMs: number) => {
        nowMs += durationMs;
      },
      waiting: (run: () => Promise<void>) => {
        onWait = run;
      },
      nowMs: () => nowMs,
      rows: () => runSql<{ id: string }>(url, "SELECT id FROM replicas ORDER BY id"),
      url,
    };
  }

  const keep = ({ document }: { document: string }) => document;
  const join = async (replica: ReturnType<typeof createSteeringTable>) => {
    let wasAlone = false;
    const { version: joined } = await replica.join(LEASE_MS, (current, isAlone) => {
      wasAlone = isAlone;
      return keep(current);
    });
    return [joined, wasAlone];
  };

  test("each replica joins with a new version, and learns whether it is alone; names that begin alike are different", async () => {
    const { open, pass } = await openReplicas();
    const [a, a1] = [open("a", "one"), open("a1", "one")];
    expect(await join(a1)).toEqual([1, true]);
    expect(await join(a)).toEqual([2, false]);
    expect(await a.read()).toEqual({ version: 2, document: "{}" });
    expect(await a.behind(2)).toEqual(["a1/one"]);
    await a1.confirm(2, LEASE_MS);
    expect(await a.behind(2)).toEqual([]);
    // A replica whose lease has ended follows nothing, and is not waited for.
    expect(await a.behind(3)).toEqual(["a/one", "a1/one"]);
    pass(LEASE_MS - 1);
    expect(await a.behind(3)).toEqual(["a/one", "a1/one"]);
    pass(1);
    expect(await a.behind(3)).toEqual([]);
    expect(await join(open("b", "one"))).toEqual([3, true]);
  });

  test("a replica that leaves is alone no more, and one that was killed is forgotten after a minute", async () => {
    const { open, pass, rows } = await openReplicas();
    const [a, b] = [open("a", "one"), open("b", "one")];
    await join(a);
    await b.join(LEASE_MS, keep);
    await b.leave();
    expect(await rows()).toEqual([{ id: "a/one" }]);
    await a.leave();
    expect(await join(b)).toEqual([3, true]);
    pass(LEASE_MS + 60_000);
    await join(a);
    expect(await rows()).toEqual([{ id: "a/one" }, { id: "b/one" }]);
    await a.leave();
    pass(1);
    await join(a);
    expect(await rows()).toEqual([{ id: "a/one" }]);
  });

  test("a server with a name that is in use waits until the lease ends, and is refused if it does not", async () => {
    const { open, waiting, nowMs } = await openReplicas();
    const a = open("a", "one");
    await join(a);
    const startMs = nowMs();
    expect(await join(open("a", "two"))).toEqual([2, true]);
    expect(nowMs() - startMs).toBeGreaterThanOrEqual(LEASE_MS);
    expect(nowMs() - startMs).toBeLessThanOrEqual(LEASE_MS + 250);

    waiting(() => a.confirm(2, LEASE_MS));
    const refused = await rejectionOf(join(open("a", "three")));
    expect(refused).toMatchObject({ problem: "taken", message: "another server with the name a uses this database" });
    expect(await a.read()).toMatchObject({ version: 2 });
  });

  test("changes at once are made one after the other, also those of another connection; one work at a time is exclusive", async () => {
    const { open, url } = await openReplicas();
    const other = await openReplica(url);
    const tables = [open("a", "one"), createSteeringTable(other.sql, other.clock, "b", "one")];
    const add = (document: string, n: number) => JSON.stringify({ ...JSON.parse(document), [n]: true });
    const edits = tables.flatMap((table, place) =>
      Array.from({ length: 10 }, (_, n) => table.edit(({ document }) => add(document, 10 * place + n))),
    );
    const versions = (await Promise.all(edits)).map((one) => one.version);
    expect(versions.sort((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(Object.keys(JSON.parse((await tables[0]?.read())?.document ?? "{}"))).toHaveLength(20);

    let [running, most] = [0, 0];
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await runSql(url, "SELECT pg_sleep(0.05)");
      running -= 1;
    };
    await Promise.all([...tables, ...tables].map((table) => table.exclusively(work)));
    expect(most).toBe(1);
  });
});
