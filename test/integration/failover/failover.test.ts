import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { runMomo } from "../../support/momo.ts";
import { describeWith } from "../../support/proxies.ts";
import { describeWithPostgres, startReplica } from "../../support/replicas.ts";
import { startCluster } from "./cluster.ts";
import { failOverUnderLoad } from "./history.ts";

afterAll(cleanUp);

// The long run is `npm run failover`.
describeWith("haproxy", "a fail-over under load, behind HAProxy", () => {
  describeWithPostgres("with three replicas", () => {
    const options = { failOvers: 1, clients: 8, progress: () => {} };

    test("to a synchronous standby: every answered payment is there once, and the totals equal a full count", async () => {
      const {
        excessMs: _,
        unanswered: __,
        answered,
        stored,
        ...verdict
      } = await failOverUnderLoad({
        ...options,
        isSynchronous: true,
      });
      expect(verdict).toEqual({ lost: 0, doubled: 0, renumbered: 0, areTotalsTrue: true, kills: 0 });
      expect(answered).toBeGreaterThan(100);
      expect(stored).toBeGreaterThanOrEqual(answered);
    });

    test("a standby itself is refused at the start, and one that keeps payments is taken by --require-replica", async () => {
      const cluster = await startCluster(true);
      const serve = ["serve", "--port", "0", "--ephemeral", "--commit-deadline", "1s"];
      const { exitCode, stderr } = await runMomo(serve, { env: { MOMO_DATABASE: cluster.standbyUrl() } });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(/^momo: the database postgres at \S+ is a standby, and takes no writes\n.*\n$/),
      });
      const replica = await startReplica(cluster.url, "a", ["--require-replica"]);
      expect(await (await replica.ask("GET", "/metrics")).text()).toContain('momo_durability{level="standby');
      expect(await replica.stop()).toBe(0);
    });

    test("to an asynchronous standby that lags: the same audit finds the losses", async () => {
      expect((await failOverUnderLoad({ ...options, isSynchronous: false })).lost).toBeGreaterThan(0);
    });
  });
});
