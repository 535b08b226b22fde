import { expect, test } from "bun:test";
import { observe } from "../../../sandbox/control/observe.ts";
import { FaultPlan } from "../../../sandbox/faults/plan.ts";
import { createRequestLog } from "../../../sandbox/request-log.ts";
import { steeredAlone } from "../../../sandbox/steering.ts";
import { succeed } from "../../../src/http/reply.ts";
import type { Api } from "../../../src/http/request.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { START_MS } from "../../support/service.ts";

function rethrow(error: unknown): never {
  throw error;
}

test("a client that goes while the code for the first request is loaded does not get its answer", async () => {
  const client = new AbortController();
  const clock = createManualClock(START_MS);
  const log = createRequestLog(rethrow);
  const api: Api = {
    async answer(_request, exchange) {
      exchange.isAnsweredAtOnce = true;
      return succeed("stored", {});
    },
    wouldTake: () => false,
    called: () => null,
  };
  const load = async () => {
    client.abort();
    return api;
  };
  const handle = observe(
    { now: null, load },
    {
      faults: new FaultPlan(rethrow),
      steering: steeredAlone,
      log,
      delayed: new Set(),
      authenticate: () => 1,
      ownSecret: "",
      stopping: new AbortController().signal,
      clock,
      realClock: clock,
      stopwatch: () => 0,
    },
  );
  await handle(new Request("http://localhost/v2/stkpush.php", { method: "POST", signal: client.signal }));
  expect(log.list()).toMatchObject([{ status: 200, isDelivered: false }]);
});
