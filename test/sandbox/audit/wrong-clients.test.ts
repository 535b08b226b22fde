import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Finding } from "../../../sandbox/audit/shape.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { openScene } from "../../support/scene.ts";
import { callsOf, drawn, type Order, order, SEED } from "./drawn-clients.ts";

/** Wrong clients are found, by every way to end a run. */

const scene = await openScene();
afterAll(async () => {
  await scene.close();
  await cleanUp();
});

const { call, ask, push, pushOf } = callsOf(scene);

/** A push of a wrong client that must be accepted. */
async function start(one: Order, chosen = "completed; after=3s"): Promise<string> {
  return scene.pay(pushOf(one), { "X-Sandbox-Outcome": chosen });
}

const lose = (path: string, more: object = { kind: "disconnect" }) =>
  scene.control("PUT", "/faults", { faults: [{ path, times: 1, ...more }] });

/** Pushes once with each reference, before the payment of the first has ended. */
async function pushAs(one: Order, ...references: readonly string[]): Promise<void> {
  const ids = [];
  for (const reference of references) {
    ids.push(await start({ ...one, reference }, "completed; after=9s"));
    await scene.advance(3000);
  }
  await scene.advance(20_000);
  for (const id of ids) await ask(id);
}

/** Mistakes, each with the finding that must show it. */
const MISTAKES: Readonly<Record<string, readonly [finding: string, live: (one: Order) => Promise<unknown>]>> = {
  "never asks": ["error end_not_learned", async (one) => [await start(one), await scene.advance(5000)]],
  "gives up after 10 s, and the customer pays at 40 s": [
    "error end_not_learned",
    async (one) => {
      const id = await start(one, "completed; after=40s");
      for (const waitMs of [5000, 5000]) [await scene.advance(waitMs), await ask(id)];
      await scene.advance(60_000);
    },
  ],
  "never learns that the customer cancelled": [
    "warning end_not_learned",
    async (one) => [await start(one, "cancelled"), await scene.advance(5000)],
  ],
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
  "polls on after cancelled": [
    "error ignores_final",
    async (one) => {
      const id = await start(one, "cancelled");
      for (let polls = 0; polls < 6; polls += 1) [await scene.advance(3000), await ask(id)];
    },
  ],
  "polls on after completed": [
    "warning polls_after_completed",
    async (one) => {
      const id = await start(one);
      for (let polls = 0; polls < 6; polls += 1) [await scene.advance(3000), await ask(id)];
    },
  ],
  "polls each second": [
    "warning polls_too_fast",
    async (one) => {
      const id = await start(one, "completed; after=5s");
      for (let polls = 0; polls < 6; polls += 1) [await scene.advance(1000), await ask(id)];
    },
  ],
  "two clicks at once, each with a reference of its own": [
    "error charges_twice",
    async (one) => {
      const ids = await Promise.all(["x", "y"].map((more) => start({ ...one, reference: `${one.reference} ${more}` })));
      for (const id of ids) [await scene.advance(3000), await ask(id)];
    },
  ],
  "sends again with a number of the try": ["error charges_twice", (one) => pushAs(one, "ORD-900/1", "ORD-900/2")],
  "sends again with a number of the try, by the client to copy": [
    "error charges_twice",
    (one) => pushAs(one, "ORDER-0001-1~afe2c720", "ORDER-0001-2~c3344b60"),
  ],
  "sends an order again as a number of the try, by the client to copy": [
    "error charges_twice",
    (one) => pushAs(one, "ORDER-0001~afe2c720", "order-0001/2~c3344b60"),
  ],
  "sends an order of the client to copy again, from another folder": [
    "error charges_twice",
    (one) => pushAs(one, "ORDER-0001~afe2c720", "ORDER-0001~c3344b60"),
  ],
  "sends an order of the client to copy again, with twelve characters each": [
    "error charges_twice",
    (one) => pushAs(one, "ORDER-0001~1b5eafe2c720", "ORDER-0001~1b5ec3344b60"),
  ],
  "sends two orders with the phones of two people who share one": [
    "warning charges_twice",
    (one) => pushAs(one, "KIOSK~254712345678", "KIOSK~254712345679"),
  ],
  "sends an order of the client to copy again, whose additions are digits alone": [
    "error charges_twice",
    (one) => pushAs(one, "ORDER-0001~84207315", "ORDER-0001~31507264"),
  ],
  "sends two tickets with the days of their shows": [
    "warning charges_twice",
    (one) => pushAs(one, "KIOSK~20261129", "KIOSK~20261130"),
  ],
  "sends two tickets with numbers of eight digits": [
    "warning charges_twice",
    (one) => pushAs(one, "KIOSK~00000041", "KIOSK~00000057"),
  ],
  "sends an order of the client to copy again, with another amount": [
    "error charges_twice",
    async (one) => {
      const first = await start({ ...one, reference: "ORDER-0001~afe2c720" }, "completed; after=9s");
      const dearer = { ...one, amount: one.amount + 50, reference: "ORDER-0001~c3344b60" };
      const ids = [first, await start(dearer, "completed; after=9s")];
      await scene.advance(20_000);
      for (const id of ids) await ask(id);
    },
  ],
  "sends an order of the client to copy again, after it was paid": [
    "warning charges_twice",
    async (one) => {
      await pushAs(one, "ORDER-0001~afe2c720");
      await pushAs(one, "ORDER-0001~c3344b60");
    },
  ],
  "sends two orders of the client to copy for one phone": [
    "warning charges_twice",
    (one) => pushAs(one, "ORDER-0001~afe2c720", "ORDER-0002~c3344b60"),
  ],
  "pushes again after a lost answer": [
    "error charges_twice",
    async (one) => [await lose("/stkpush.php"), await push(one), await push(one)],
  ],
  "asks a second phone for the same order": [
    "warning charges_twice",
    async (one) => {
      const ids = [await start(one), await start({ ...one, phone: "0799999999" })];
      await scene.advance(5000);
      for (const id of ids) await ask(id);
    },
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
  "follows the first row of a list whose filter is ignored": [
    "error filter_ignored",
    async (one) => {
      const id = await start(one);
      await scene.advance(5000);
      await ask(id);
      await call("GET", "/transactions.php?state=failed");
      await ask(id);
    },
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
