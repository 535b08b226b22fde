import { expect, test } from "bun:test";
import { auditClient } from "../../../cli/serving/client-audit.ts";
import { createVirtualClock } from "../../../sandbox/network/clock.ts";
import { createManualClock } from "../../support/manual-clock.ts";

test("a clock that cannot move to the end of the prompts loses no report", async () => {
  const clock = createVirtualClock(createManualClock(Date.UTC(9999, 11, 30) - 5));
  const { finish } = auditClient({
    basePaths: ["/v2"],
    inputs: () => new Map(),
    hasWebhook: () => false,
    log: { subscribe: () => () => {}, nextPlace: () => 1 },
    service: { subscribe: () => () => {}, resolver: { resolveDue: async () => {} } },
    clock,
    stopwatch: () => 0,
    promptTimeoutMs: 60_000,
    settleDeliveries: async () => {},
  } as unknown as Parameters<typeof auditClient>[0]);
  expect((await finish({ hosts: [] } as never)).findings).toBeArray();
  expect(clock.nowMs()).toBe(Date.UTC(9999, 11, 30));
});
