import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { areTotalsTrue } from "../../../src/store/sqlite/totals.ts";
import { systemClock } from "../../../src/system.ts";
import { cleanUp, forEachTest, newFolder } from "../../support/cleanup.ts";
import { startIn } from "../../support/sandbox.ts";
import { openScene } from "../../support/scene.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_SNAPSHOTS = 20;

afterAll(cleanUp);

const sandbox = forEachTest(openScene);
const save = (name: string) => sandbox.control("PUT", `/snapshots/${name}`);
const restore = (name: string) => sandbox.control("POST", `/snapshots/${name}/restore`);
const read = (paths: readonly string[]) => Promise.all(paths.map((path) => sandbox.control("GET", path)));

describe("a restore brings back what a snapshot saved", () => {
  test("transactions: a paid one as it was, and a pending one, which goes on", async () => {
    const paid = await sandbox.pay({ reference: "PAID" });
    await sandbox.advanceClock("3s");
    const pending = await sandbox.pay({ reference: "PENDING" });
    await sandbox.advanceClock("1s");
    const before = await sandbox.list();
    expect(await save("both")).toMatchObject({ snapshot: { name: "both", transactions: 2, frozen: true } });
    await sandbox.advanceClock("10m");
    await sandbox.pay();
    expect(await sandbox.list()).not.toEqual(before);
    await restore("both");
    expect(await sandbox.list()).toEqual(before);
    expect(await sandbox.statusOf(paid)).toMatchObject({ status: "completed" });
    expect(await sandbox.statusOf(pending)).toMatchObject({ status: "pending" });
    await sandbox.advanceClock("2s");
    expect(await sandbox.statusOf(pending)).toMatchObject({ status: "completed" });
    const database = new Database(sandbox.place.file, { readonly: true });
    expect(areTotalsTrue(database)).toBe(true);
    database.close();
  });

  test("rules, default, faults, clock and webhook; log, audit and deliveries begin empty, merchants and keys stay", async () => {
    const url = "http://127.0.0.1:1/hook";
    await sandbox.control("PUT", "/rules", [{ outcome: "cancelled", times: 2 }, { outcome: "wrong_pin" }]);
    await sandbox.control("PUT", "/default", { outcome: "unreachable", after: "7s" });
    await sandbox.control("PUT", "/faults", { seed: 7, faults: [{ kind: "error", path: "/status.php", times: 3 }] });
    await sandbox.control("PUT", "/webhook", { url, form: "flat", times: 2, delay: "1h" });
    const parts = ["/rules", "/default", "/clock", "/faults", "/webhook", "/requests", "/audit"];
    const registry = ["/merchants", "/accounts", "/keys"];
    const before = await read(parts);
    await save("steered");
    await sandbox.pay();
    await sandbox.ask("POST", "/nothing", { json: {} });
    await sandbox.advanceClock("1h");
    await sandbox.control("POST", "/clock", { resume: true });
    await sandbox.control("PUT", "/default", { outcome: "completed" });
    await sandbox.control("POST", "/merchants", { name: "Late" });
    await sandbox.control("POST", "/accounts", { name: "Late" });
    await sandbox.control("DELETE", `/keys/${sandbox.caller.key.apiKey}`);
    const later = await read(registry);
    await sandbox.control("DELETE", "/faults");
    await sandbox.control("DELETE", "/webhook");
    for (const [index, changed] of (await read(parts)).entries()) expect(changed).not.toEqual(before[index] ?? {});
    await restore("steered");
    expect(await read(parts)).toEqual(before);
    expect(await sandbox.control("GET", "/transactions")).toMatchObject({ transactions: [] });
    expect(await read(registry)).toEqual(later);
  });

  test("again and again, and no number is used twice", async () => {
    const seen = new Set<unknown>();
    const note = async () => {
      for (const { id, checkout_request_id } of await sandbox.list()) seen.add(id).add(checkout_request_id);
    };
    await sandbox.pay();
    await save("one");
    for (let round = 0; round < 3; round += 1) {
      await sandbox.pay();
      await note();
      await restore("one");
      expect(await sandbox.list()).toHaveLength(1);
      const id = await sandbox.pay();
      const [newest] = await sandbox.list();
      expect(newest?.checkout_request_id).toBe(id);
      expect(seen).not.toContain(id);
      expect(seen).not.toContain(newest?.id);
    }
  });

  test("a snapshot of the same name is replaced; a reset keeps the snapshots", async () => {
    await save("a");
    await sandbox.pay();
    expect(await save("a")).toMatchObject({ snapshot: { transactions: 1 } });
    await sandbox.control("POST", "/reset");
    await restore("a");
    expect(await sandbox.list()).toHaveLength(1);
  });

  test("a wait for a payment ends, because the payment may be another one now", async () => {
    await save("before");
    const id = await sandbox.pay();
    const waiting = sandbox.call("POST", "/wait", { json: { checkout_request_id: id } });
    await Bun.sleep(0);
    await restore("before");
    expect(await waiting).toMatchObject({ status: 404 });
  });

  test("it survives a restart; the snapshots do not", async () => {
    const folder = newFolder();
    const first = await startIn(folder);
    await first.control("POST", "/clock", { freeze: true });
    const kept = await first.pay();
    await first.control("PUT", "/snapshots/one");
    const later = await first.pay();
    await first.control("POST", "/snapshots/one/restore");
    await first.stop();
    const second = await startIn(folder);
    expect(await second.control("GET", "/snapshots")).toMatchObject({ snapshots: [] });
    const listed = async () => (await second.control("GET", "/transactions")).transactions;
    expect(await listed()).toMatchObject([{ id: 1, checkout_request_id: kept }]);
    expect([kept, later]).not.toContain(await second.pay());
    expect(await listed()).toMatchObject([{ id: 3 }, { id: 1 }]);
    await second.stop();
  });
});

describe("names and bounds", () => {
  test("are listed by name, and deleted", async () => {
    await save("b");
    await save("A_1-x");
    expect(await sandbox.control("GET", "/snapshots")).toMatchObject({ snapshots: [{ name: "A_1-x" }, { name: "b" }] });
    await sandbox.control("DELETE", "/snapshots/b");
    expect(await sandbox.control("GET", "/snapshots")).toMatchObject({ snapshots: [{ name: "A_1-x" }] });
    for (const [method, path] of [
      ["DELETE", "/snapshots/b"],
      ["POST", "/snapshots/b/restore"],
    ] as const) {
      const message = await sandbox.refusal(method, path, undefined, 404);
      expect(message).toContain("the list of snapshots has those that exist");
    }
  });

  test("other names, and a body, are refused", async () => {
    for (const name of ["a.b", "%2fetc", "a%20b", "x".repeat(65)]) {
      expect(await sandbox.refusal("PUT", `/snapshots/${name}`)).toContain("1 to 64 letters, digits, - and _");
    }
    await save("x".repeat(64));
    expect(await sandbox.refusal("PUT", "/snapshots/a", { keep: 1 })).toContain("keep");
  });

  test(`there are at most ${MAX_SNAPSHOTS}, also when many are saved at once`, async () => {
    const names = Array.from({ length: MAX_SNAPSHOTS + 5 }, (_, index) => `s${index}`);
    const answers = await Promise.all(names.map((name) => sandbox.call("PUT", `/snapshots/${name}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_SNAPSHOTS);
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain("delete one");
    await save("s0");
  });
});

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
