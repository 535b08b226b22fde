import { describe, expect, test } from "bun:test";
import { systemClock } from "../../../src/system.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const reset = () => sandbox.control("POST", "/reset");
const NONE = { total_completed_amount: 0, completed_count: 0, pending_count: 0, failed_count: 0 };

describe("POST /_momo/reset", () => {
  test("forgets transactions, rules, default, faults, log and clock", async () => {
    const realMs = systemClock.nowMs();
    await sandbox.control("POST", "/rules", { outcome: "cancelled" });
    await sandbox.control("PUT", "/default", { outcome: "cancelled" });
    const ids = [await sandbox.pay(), await sandbox.pay({ phone: "254700000019" })];
    await sandbox.advanceClock("10s");
    // A payment whose status was read is also in a cache.
    for (const id of ids) expect(await sandbox.statusOf(id)).toMatchObject({ success: true });
    await sandbox.control("PUT", "/faults", { seed: 5, faults: [{ kind: "error", path: "/status.php" }] });
    expect(await reset()).toEqual({ success: true, message: "reset; merchants, accounts and keys are kept" });

    expect(await sandbox.control("GET", "/rules")).toMatchObject({ rules: [] });
    expect(await sandbox.control("GET", "/default")).toMatchObject({ outcome: "completed", after: "3s" });
    expect(await sandbox.control("GET", "/faults")).toMatchObject({ seed: 0, faults: [] });
    expect(await sandbox.control("GET", "/requests")).toMatchObject({ requests: [] });
    expect(await sandbox.control("GET", "/prompts")).toMatchObject({ prompts: [] });
    const clock = await sandbox.control("GET", "/clock");
    expect(clock.frozen).toBe(false);
    expect(Number(clock.now_ms)).toBeWithin(realMs, systemClock.nowMs() + 1);
    for (const checkout_request_id of ids) {
      expect((await sandbox.ask("POST", "/status.php", { json: { checkout_request_id } })).status).toBe(404);
    }
    const { body } = await sandbox.ask("GET", "/transactions.php");
    expect(body).toMatchObject({ transactions: [], summary: NONE, pagination: { total_items: 0, total_pages: 0 } });
  });

  test("keeps merchants, accounts and keys; the next payment has new numbers, and is the only one that counts", async () => {
    const registry = () =>
      Promise.all(["/merchants", "/accounts", "/keys?merchant_id=2"].map((path) => sandbox.control("GET", path)));
    const before = await registry();
    const paid = async () => {
      await sandbox.control("POST", "/clock", { freeze: true });
      await sandbox.pay({ amount: 70 });
      await sandbox.advanceClock("3s");
      const [{ id, transaction_code, momo_receipt_number } = {}] = await sandbox.list();
      return [id, transaction_code, momo_receipt_number];
    };
    const [first, second] = [await paid(), await paid()];
    expect(second.slice(0, 2)).toEqual([2, "T00000000002"]);
    await sandbox.pay();
    await reset();
    expect(await registry()).toEqual(before);
    const next = await paid();
    expect(next.slice(0, 2)).toEqual([4, "T00000000004"]);
    expect([...first, ...second]).not.toContain(next[2]);
    expect((await sandbox.ask("GET", "/transactions.php")).body).toMatchObject({
      transactions: [{ status: "completed", amount: 70 }],
      summary: { ...NONE, total_completed_amount: 70, completed_count: 1 },
      pagination: { total_items: 1 },
    });
  });

  test("a wait for a forgotten payment ends at once with 404", async () => {
    const id = await sandbox.pay({ phone: "254700000100" });
    const waiting = sandbox.call("POST", "/wait", { json: { checkout_request_id: id, timeout: "1h" } });
    await sandbox.control("GET", "/health");
    await reset();
    expect((await waiting).status).toBe(404);
  });

  test("a wait for a reference goes on, because its payment may still come", async () => {
    await sandbox.control("POST", "/clock", { freeze: true });
    const waiting = sandbox.call("POST", "/wait", { json: { reference: "later", until: "pending" } });
    await sandbox.control("GET", "/health");
    await reset();
    const id = await sandbox.pay({ reference: "later" });
    expect((await waiting).body).toMatchObject({ transaction: { checkout_request_id: id } });
  });

  test("accepts no body, `{}`, and a JSON content type without a body; but no form", async () => {
    const accepted = { headers: { "Content-Type": "application/json" } };
    for (const sent of [{}, { json: {} }, accepted]) {
      expect((await sandbox.call("POST", "/reset", sent)).status).toBe(200);
    }
    const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" } };
    expect((await sandbox.call("POST", "/reset", form)).status).toBe(400);
    expect(await sandbox.refusal("POST", "/reset", { rules: [] })).toContain('"rules"');
  });
});
