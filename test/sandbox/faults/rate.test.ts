import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { FaultPlan } from "../../../sandbox/faults/plan.ts";
import { rate } from "../../../sandbox/faults/rate.ts";
import { fail } from "../../../src/http/reply.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { rethrow } from "../../support/rethrow.ts";
import { payment, useScene } from "../../support/scene.ts";

afterAll(cleanUp);

const MINUTE_MS = 60_000;
const POLL = "/status.php";

function limitedTo(per_minute: number) {
  const plan = new FaultPlan(rethrow);
  const headers = new Headers();
  plan.replace(0, [{ kind: "rate", per_minute, probability: 1 }]);
  return {
    plan,
    passes: (atMs: number, operation = POLL) => plan.strike({ operation, atMs, headers }) === null,
    /** Its answer to a request that does not pass. */
    async refusal(atMs: number) {
      const struck = plan.strike({ operation: POLL, atMs, headers });
      if (!struck) throw new Error("it passes");
      const kept = struck.kept as Record<string, number[]>;
      const never = () => Promise.reject(new Error("it is not carried out"));
      const exchange = { operation: POLL, atMs, headers, kept, fail, carryOut: never, wait: never };
      const { status, text, headers: answered } = await rate.strike(struck.fault, exchange);
      return { status, text, retryAfter: answered.get("Retry-After") };
    },
  };
}

test("so many requests of each operation pass in a minute; the others are 429, and Retry-After says when one passes", async () => {
  const { passes, refusal } = limitedTo(2);
  expect([passes(0), passes(10_500), passes(20_000), passes(20_000, "/stkpush.php")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(await refusal(30_500)).toEqual({
    status: 429,
    text: '{"success":false,"message":"fault injected: more than 2 in a minute; try again after 30 s"}',
    retryAfter: "30",
  });
  expect((await refusal(MINUTE_MS - 1)).retryAfter).toBe("1");
  expect([passes(MINUTE_MS), passes(MINUTE_MS), passes(MINUTE_MS + 10_500)]).toEqual([true, false, true]);
});

test("whatever the times of the requests, no minute has more than the limit, and none below it is refused", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), gaps, (limit, waits) => {
      const { passes } = limitedTo(limit);
      const passed: number[] = [];
      let nowMs = 0;
      for (const wait of waits) {
        nowMs += wait;
        const recent = passed.filter((atMs) => nowMs - atMs < MINUTE_MS);
        expect(passes(nowMs)).toBe(recent.length < limit);
        if (recent.length < limit) passed.push(nowMs);
      }
    }),
  );
});

test("a machine whose clock is set back or forward by hours lets requests pass at once", () => {
  const { passes } = limitedTo(1);
  const hours = 5 * 3_600_000;
  expect([passes(hours), passes(0), passes(hours), passes(hours + 1)]).toEqual([true, true, true, false]);
});

test("servers that share a database count together, and a snapshot keeps the count", () => {
  const { plan, passes } = limitedTo(1);
  const other = limitedTo(1);
  expect([plan.isCounted(POLL), passes(0)]).toEqual([true, true]);
  other.plan.load(JSON.parse(JSON.stringify(plan.save())));
  expect([other.passes(1), other.passes(MINUTE_MS)]).toEqual([false, true]);
});

const sandbox = useScene();

test("a client over the limit is not carried out and not blamed", async () => {
  const faults = [{ kind: "rate", per_minute: 1, path: "/stkpush.php" }];
  await sandbox.control("PUT", "/faults", { faults });
  const push = (reference: string, phone: string) =>
    sandbox.ask("POST", "/stkpush.php", { json: { ...payment(sandbox.caller), reference, phone } });
  const again = () => push("ORDER-2", "0722000000");
  const pushed = [await push("ORDER-1", "0711000000"), await again(), await again()];
  expect(pushed.map(({ status }) => status)).toEqual([200, 429, 429]);
  expect(await sandbox.list()).toHaveLength(1);
  expect((await sandbox.logged()).slice(0, 3).map(({ fault }) => fault)).toEqual([null, "rate", "rate"]);
  await sandbox.control("DELETE", "/faults");
  expect((await again()).status).toBe(200);
  const { findings } = await sandbox.control("GET", "/audit");
  expect(findings).toEqual([]);
});
