import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../src/system.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { startIn } from "../../support/sandbox.ts";
import { openSteered } from "../../support/steered.ts";

afterAll(cleanUp);

const SUMMARY = { total_completed_amount: 0, completed_count: 0, pending_count: 0, failed_count: 0 };

describe("POST /_momo/reset", () => {
  test("forgets transactions, rules, faults, log and clock", async () => {
    const sandbox = await openSteered();
    const realMs = systemClock.nowMs();
    await sandbox.control("POST", "/rules", { outcome: "cancelled" });
    await sandbox.control("PUT", "/default", { outcome: "cancelled" });
    const ids = [await sandbox.pay(), await sandbox.pay({ phone: "254700000019" })];
    await sandbox.control("POST", "/clock", { advance: "10s" });
    // What somebody has asked for is kept in memory, too.
    for (const id of ids) expect(await sandbox.statusOf(id)).toMatchObject({ success: true });
    await sandbox.control("PUT", "/faults", { seed: 5, faults: [{ kind: "error", path: "/status.php" }] });
    expect(await sandbox.control("POST", "/reset")).toEqual({
      success: true,
      message: "as new, but for merchants, accounts and keys",
    });

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
    expect(body).toMatchObject({ transactions: [], summary: SUMMARY, pagination: { total_items: 0, total_pages: 0 } });
    await sandbox.close();
  });

  test("ids, transaction codes and receipt numbers go on: no payment after it has one of a payment before", async () => {
    const sandbox = await openSteered();
    await sandbox.control("POST", "/clock", { freeze: true });
    const paid = async () => {
      await sandbox.pay();
      await sandbox.control("POST", "/clock", { advance: "3s" });
      const [{ id, transaction_code, momo_receipt_number } = {}] = await sandbox.list();
      return [id, transaction_code, momo_receipt_number];
    };
    const before = [...(await paid()), ...(await paid())];
    expect(before).toContain("T00000000002");
    await sandbox.control("POST", "/reset");
    await sandbox.control("POST", "/clock", { freeze: true });
    const after = await paid();
    expect(after.slice(0, 2)).toEqual([3, "T00000000003"]);
    expect(before).not.toContain(after[2]);
    await sandbox.close();
  });

  test("takes no body, `{}`, or none from a client that says JSON by habit", async () => {
    const sandbox = await openSteered();
    const json = { "Content-Type": "application/json" };
    expect((await sandbox.call("POST", "/reset")).status).toBe(200);
    expect((await sandbox.call("POST", "/reset", { json: {} })).status).toBe(200);
    expect((await sandbox.call("POST", "/reset", { headers: json })).status).toBe(200);
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await sandbox.call("POST", "/reset", { headers: form })).status).toBe(400);
    expect(await sandbox.refusal("POST", "/reset", { rules: [] })).toContain('"rules"');
    await sandbox.close();
  });

  test("keeps merchants, accounts and keys", async () => {
    const sandbox = await openSteered();
    const { registry } = sandbox.harness.service;
    const kept = async () => [
      await registry.listMerchants(),
      await registry.listAccounts(sandbox.caller.merchantId),
      await registry.listKeys(sandbox.other.merchantId),
    ];
    const before = await kept();
    await sandbox.control("POST", "/reset");
    expect(await kept()).toEqual(before);
    await sandbox.close();
  });

  test("the next payment after it works, comes due, and is the only one that counts", async () => {
    const sandbox = await openSteered();
    for (let count = 0; count < 5; count++) await sandbox.pay();
    await sandbox.control("POST", "/clock", { advance: "24h" });
    await sandbox.pay();
    await sandbox.control("POST", "/reset");
    await sandbox.control("POST", "/clock", { freeze: true });
    const id = await sandbox.pay({ amount: 70 });
    await sandbox.control("POST", "/clock", { advance: "3s" });
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed" });
    const { body } = await sandbox.ask("GET", "/transactions.php");
    expect(body).toMatchObject({
      transactions: [{ checkout_request_id: id, amount: 70 }],
      summary: { ...SUMMARY, total_completed_amount: 70, completed_count: 1 },
      pagination: { total_items: 1 },
    });
    await sandbox.close();
  });

  test("what it forgot stays forgotten after a restart, and the key is still good", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    await first.pay();
    await first.control("POST", "/reset", {});
    await first.stop();
    const second = await startIn(directory);
    expect(second.headers).toEqual(first.headers);
    const list = await fetch(`${second.baseUrl}/transactions.php`, { headers: first.headers });
    expect(await list.json()).toMatchObject({ transactions: [], summary: SUMMARY });
  });
});
