import { afterAll, beforeAll, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import { describeWithPostgres } from "../../support/replicas.ts";
import { failOverUnderLoad, type Scene, startScene } from "./history.ts";

afterAll(cleanUp);

// The long run is `npm run dev failover`.
describeWith(["haproxy"], "a fail-over under load, behind HAProxy", () => {
  describeWithPostgres("with three replicas", () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await startScene();
    });
    const options = { failOvers: 1, clients: 8, pauseMs: 5, calmMs: 300, detectMs: 300, progress: () => {} };

    test("to a synchronous standby: every answered payment is stored once, a webhook tells each, and the totals equal a full count", async () => {
      const history = await failOverUnderLoad(scene, { ...options, isSynchronous: true });
      expect(history).toMatchObject({
        lost: 0,
        doubled: 0,
        renumbered: 0,
        areTotalsTrue: true,
        webhooks: { never: 0 },
      });
      expect(history.answered).toBeGreaterThan(10);
      expect(history.stored).toBeGreaterThanOrEqual(history.answered);
    });

    test("to an asynchronous standby that lags: the same audit finds the losses", async () => {
      expect((await failOverUnderLoad(scene, { ...options, isSynchronous: false })).lost).toBeGreaterThan(0);
    });
  });
});
