import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Finding } from "../../../sandbox/audit/shape.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { openScene } from "../../support/scene.ts";
import { callsOf, drawn, type Order, order, SEED } from "./drawn-clients.ts";

const scene = await openScene();
afterAll(async () => {
  await scene.close();
  await cleanUp();
});

const { call, ask, push, pushOf } = callsOf(scene);

async function start(one: Order, chosen = "completed; after=3s"): Promise<string> {
  return scene.pay(pushOf(one), { "X-Sandbox-Outcome": chosen });
}

const lose = (path: string, more: object = { kind: "disconnect" }) =>
  scene.control("PUT", "/faults", { faults: [{ path, times: 1, ...more }] });

const MISTAKES: Readonly<Record<string, readonly [finding: string, live: (one: Order) => Promise<unknown>]>> = {
  "never asks": ["error end_not_learned", async (one) => [await start(one), await scene.advance(5000)]],
  "reads only answers with 503": [
    "error end_not_learned",
    async (one) => {
      const id = await start(one);
      await scene.advance(5000);
      await lose("/status.php", { kind: "error", status: 503 });
      await ask(id);
    },
  ],
  "loses the answer to its push, and does not look": [
    "error end_not_learned",
    async (one) => [await lose("/stkpush.php"), await push(one), await scene.advance(5000)],
  ],
  "two clicks at once, each with a reference of its own": [
    "error charges_twice",
    async (one) => {
      const ids = await Promise.all(["x", "y"].map((more) => start({ ...one, reference: `${one.reference} ${more}` })));
      for (const id of ids) [await scene.advance(3000), await ask(id)];
    },
  ],
  "pushes again after a lost answer": [
    "error charges_twice",
    async (one) => [await lose("/stkpush.php"), await push(one), await push(one)],
  ],
  "pushes again after 503": [
    "warning repeats_blindly",
    async (one) => {
      await lose("/stkpush.php", { kind: "error", status: 503 });
      await push(one);
      const id = await start(one);
      await scene.advance(5000);
      await ask(id);
    },
  ],
  "asks the list by an id that is no parameter": [
    "error takes_wrong_row",
    async (one) => {
      const id = await start(one);
      await scene.advance(5000);
      await ask(id);
      await call("GET", `/transactions.php?checkout_request_id=${id}`);
    },
  ],
  "filters by names of other services": [
    "warning filter_ignored",
    () => call("GET", "/transactions.php?per_page=5&start_date=2026-01-01&state=completed"),
  ],
  "reads the first page of a report": [
    "note reads_first_page_only",
    async (one) => {
      for (const reference of ["first", "second"]) {
        const id = await start({ ...one, reference });
        await scene.advance(5000);
        await ask(id);
      }
      await call("GET", "/transactions.php?status=completed&limit=1");
    },
  ],
  "reads a refusal like a success": [
    "error failure_misread",
    async (one) => {
      await call("POST", "/stkpush.php", { ...pushOf(one), amount: 0 });
      await call("POST", "/status.php", { checkout_request_id: "undefined" });
    },
  ],
  "asks for a status with GET": ["error wrong_method", () => call("GET", "/status.php?checkout_request_id=1")],
  "calls a path that does not exist": ["error unknown_path", () => call("POST", "/refund.php", {})],
  "sends a number as text": [
    "warning number_as_text",
    (one) => call("POST", "/stkpush.php", { ...pushOf(one), amount: String(one.amount) }),
  ],
};

const ENDS: Readonly<Record<string, () => Promise<readonly Finding[]>>> = {
  "momo exec": async () => (await scene.finishAudit()).findings,
  "sandbox.audit()": async () =>
    ((await scene.control("GET", "/audit?over=true")) as unknown as { findings: Finding[] }).findings,
  "a reset": async () => {
    await scene.control("POST", "/reset");
    return ((await scene.control("GET", "/audit")) as unknown as { findings: Finding[] }).findings;
  },
};

test.each(Object.entries(MISTAKES))(
  `found through every door: %s (seed ${SEED})`,
  async (_name, [expected, live]) => {
    await fc.assert(
      fc.asyncProperty(order, fc.constantFrom(...Object.values(ENDS)), async (one, end) => {
        await scene.renew();
        await scene.control("DELETE", "/audit");
        await live(one);
        expect((await end()).map(({ severity, kind }) => `${severity} ${kind}`)).toContain(expected);
      }),
      drawn(9),
    );
  },
  400_000,
);
