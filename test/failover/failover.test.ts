import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { describeWith } from "../support/proxies.ts";
import { describeWithPostgres } from "../support/replicas.ts";
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

    test("to an asynchronous standby that lags: the same audit finds the losses", async () => {
      expect((await failOverUnderLoad({ ...options, isSynchronous: false })).lost).toBeGreaterThan(0);
    });
  });
});
