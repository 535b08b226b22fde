import { describe, expect, test } from "bun:test";
import { insertDue } from "../../support/pending.ts";
import { testRefusals } from "../../support/refused.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

/** Its clock stands still, so that nothing happens that a test does not make happen. */
const sandbox = forEachTest(openSteered);

const wait = (json: unknown) => sandbox.call("POST", "/wait", { json });
const endOf = (id: string, outcome: string) => sandbox.control("POST", `/prompts/${id}/answer`, { outcome });
const manual = (order: Record<string, unknown> = {}) => sandbox.pay({ phone: "254700000100", ...order });

describe("POST /_momo/wait answers the moment the transaction is as asked for", () => {
  test("by checkout_request_id, until it is final where nothing else is said", async () => {
    const id = await sandbox.pay({ reference: "R" });
    let answered = false;
    const waiting = wait({ checkout_request_id: id }).finally(() => {
      answered = true;
    });
    await sandbox.advanceClock("2999ms");
    expect(answered).toBe(false);
    await sandbox.advanceClock("1ms");
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body).toMatchObject({ message: "the payment is completed", transaction: { checkout_request_id: id } });
    expect((body.transaction as object) ?? {}).toEqual((await sandbox.list())[0] as object);
  });

  test("at once where it is so already", async () => {
    const id = await manual();
    await endOf(id, "cancelled");
    for (const until of ["final", "cancelled"]) {
      expect((await wait({ checkout_request_id: id, until })).body).toMatchObject({
        transaction: { status: "cancelled" },
      });
    }
    const open = await manual();
    expect((await wait({ checkout_request_id: open, until: "pending", timeout: "0s" })).status).toBe(200);
  });

  for (const [until, outcome] of [
    ["completed", "completed"],
    ["failed", "pin_locked"],
    ["cancelled", "cancelled"],
    ["expired", "expired"],
  ] as const) {
    test(`until ${until}`, async () => {
      const id = await manual();
      const waiting = wait({ checkout_request_id: id, until });
      await endOf(id, outcome);
      expect((await waiting).body).toMatchObject({ transaction: { status: until } });
    });
  }

  test("until pending, by a reference: as it starts", async () => {
    const waiting = wait({ reference: "R", until: "pending" });
    const id = await manual({ reference: "R" });
    expect((await waiting).body).toMatchObject({ transaction: { checkout_request_id: id, status: "pending" } });
  });

  test("many waiters for one payment are all answered", async () => {
    const id = await manual({ reference: "R" });
    const waiting = [{ checkout_request_id: id }, { checkout_request_id: id }, { reference: "R" }].map(wait);
    await endOf(id, "completed");
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe("by reference", () => {
  test("of a payment that has yet to start", async () => {
    const waiting = wait({ reference: "R" });
    await sandbox.pay({ reference: "another" });
    const id = await sandbox.pay({ reference: "R" });
    await sandbox.advanceClock("3s");
    expect((await waiting).body).toMatchObject({ transaction: { checkout_request_id: id, status: "completed" } });
  });

  test("of several payments: the newest", async () => {
    await endOf(await manual({ reference: "R" }), "cancelled");
    const second = await manual({ reference: "R" });
    const waiting = wait({ reference: "R" });
    await endOf(second, "completed");
    expect((await waiting).body).toMatchObject({ transaction: { checkout_request_id: second, status: "completed" } });
  });

  test("exactly: letter case counts", async () => {
    await endOf(await manual({ reference: "Order" }), "completed");
    expect((await wait({ reference: "order", timeout: "0s" })).status).toBe(408);
  });
});

describe("408 at the time-out, in real time even while momo's clock stands still", () => {
  test("50ms", async () => {
    const id = await sandbox.pay();
    const startedMs = performance.now();
    const late = await wait({ checkout_request_id: id, timeout: "50ms" });
    expect(performance.now() - startedMs).toBeGreaterThan(45);
    expect(late.status).toBe(408);
    expectSoundAnswer(late);
    expect(late.body.message).toBe("it has not become final in time");
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "pending" });
  });

  test("an advance of momo's clock is no time that passes for it", async () => {
    const id = await sandbox.pay({ phone: "254700000030" });
    const waiting = wait({ checkout_request_id: id, timeout: "20s" });
    await sandbox.advanceClock("25s");
    await sandbox.advanceClock("5s");
    expect((await waiting).status).toBe(200);
  });
});

describe("refused", () => {
  test("404: an unknown checkout_request_id, at once", async () => {
    const refused = await wait({ checkout_request_id: "ws_CO_1_NOBODY", timeout: "1h" });
    expect(refused.status).toBe(404);
    expectSoundAnswer(refused);
  });

  const BAD: [body: unknown, says: string][] = [
    [{}, "give either checkout_request_id or reference"],
    [{ checkout_request_id: "x", reference: "y" }, "give either checkout_request_id or reference"],
    [{ checkout_request_id: 5 }, "checkout_request_id: "],
    [{ checkout_request_id: "" }, "checkout_request_id: "],
    [{ checkout_request_id: "x".repeat(101) }, "checkout_request_id: "],
    [{ reference: null }, "reference: "],
    [{ reference: "R", until: "paid" }, "until: must be one of final, pending, completed, failed, cancelled, expired"],
    [{ reference: "R", until: null }, "until: must be one of final"],
    [{ reference: "R", timeout: 5 }, "timeout: "],
    [{ reference: "R", timeout: "-1s" }, "timeout: it is not a duration up to 24h"],
    [{ reference: "R", timeout: "25h" }, "timeout: it is not a duration up to 24h"],
    [{ reference: "R", id: 1 }, 'there is no member "id"; the members are '],
    [[], "the body must be a JSON object"],
  ];
  testRefusals(sandbox, "POST", "/wait", BAD);
});

test("503: the server stops while it waits", async () => {
  const waits = [{ checkout_request_id: await manual() }, { reference: "never" }].map((wish) =>
    wait({ ...wish, timeout: "1h" }),
  );
  await sandbox.control("GET", "/prompts");
  sandbox.endStreams();
  for (const { status, body } of await Promise.all(waits)) {
    expect([status, body.message]).toEqual([503, "the server stops"]);
  }
});

test("many at once: 500 wait, one advance, all are answered", async () => {
  const ids = await insertDue(sandbox, 500);
  const listed = await sandbox.harness.store.transactions.listPending(ids.length);
  const waiting = listed.map(({ checkoutRequestId }) => wait({ checkout_request_id: checkoutRequestId }));
  await sandbox.advanceClock("5s");
  const answers = await Promise.all(waiting);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers.map(({ body }) => (body.transaction as Record<string, unknown>).id)).toEqual(ids);
});
