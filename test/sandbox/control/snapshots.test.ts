import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
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

test("a restore keeps the totals true", async () => {
  await sandbox.pay();
  await save("one");
  await sandbox.pay();
  await restore("one");
  await sandbox.advanceClock("3s");
  const database = new Database(sandbox.place.file, { readonly: true });
  expect(areTotalsTrue(database)).toBe(true);
  database.close();
});

describe("a restore", () => {
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
    await first.control("POST", "/clock", { advance: "1h", resume: true });
    const { snapshot } = await first.control("POST", "/snapshots/one/restore");
    await first.stop();
    const second = await startIn(folder);
    const { at_ms } = snapshot as { at_ms: number };
    expect(await second.control("GET", "/clock")).toMatchObject({ now_ms: at_ms, frozen: true });
    expect(await second.control("GET", "/snapshots")).toMatchObject({ snapshots: [] });
    const listed = async () => (await second.control("GET", "/transactions")).transactions;
    expect(await listed()).toMatchObject([{ id: 1, checkout_request_id: kept }]);
    expect([kept, later]).not.toContain(await second.pay());
    expect(await listed()).toMatchObject([{ id: 3 }, { id: 1 }]);
    await second.stop();
  });
});

test(`there are at most ${MAX_SNAPSHOTS} snapshots, also when many are saved at once`, async () => {
  const names = Array.from({ length: MAX_SNAPSHOTS + 5 }, (_, index) => `s${index}`);
  const answers = await Promise.all(names.map((name) => sandbox.call("PUT", `/snapshots/${name}`)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_SNAPSHOTS);
  expect(answers.find(({ status }) => status === 409)?.body.message).toContain("delete one");
  await save("s0");
});

const reset = () => sandbox.control("POST", "/reset");

describe("POST /_momo/reset", () => {
  test("shows the real time again; the next payment has new numbers, and is the only one that counts", async () => {
    const realMs = systemClock.nowMs();
    const paid = async () => {
      await sandbox.control("POST", "/clock", { freeze: true });
      await sandbox.pay({ amount: 70 });
      await sandbox.advanceClock("3s");
      const [{ id, transaction_code, momo_receipt_number } = {}] = await sandbox.list();
      return [id, transaction_code, momo_receipt_number];
    };
    const [first, second] = [await paid(), await paid()];
    await reset();
    expect((await sandbox.control("GET", "/clock")).now_ms).toBeWithin(realMs, systemClock.nowMs() + 1);
    const next = await paid();
    expect(next.slice(0, 2)).toEqual([3, "T00000000003"]);
    expect([...first, ...second]).not.toContain(next[2]);
    const { body } = await sandbox.ask("GET", "/transactions.php");
    const summary = { total_completed_amount: 70, completed_count: 1, pending_count: 0, failed_count: 0 };
    expect(body).toMatchObject({ transactions: [{ amount: 70 }], summary, pagination: { total_items: 1 } });
  });

  test("a wait for a forgotten payment ends at once with 404", async () => {
    const id = await sandbox.pay({ phone: "254700000100" });
    const waiting = sandbox.call("POST", "/wait", { json: { checkout_request_id: id, timeout: "1h" } });
    await sandbox.control("GET", "/health");
    await reset();
    expect((await waiting).status).toBe(404);
  });

  test("removes also the rules that the server was started with", async () => {
    const rules = [{ match: {}, choice: { outcome: "cancelled" as const, afterMs: null }, times: null }];
    const started = await startIn(join(newFolder(), "data"), { rules });
    await started.control("POST", "/reset", {});
    expect(await started.control("GET", "/rules")).toMatchObject({ rules: [] });
    await started.stop();
  });

  test("a wait for a reference goes on, because its payment may still come", async () => {
    await sandbox.control("POST", "/clock", { freeze: true });
    const waiting = sandbox.call("POST", "/wait", { json: { reference: "later", until: "pending" } });
    await sandbox.control("GET", "/health");
    await reset();
    const id = await sandbox.pay({ reference: "later" });
    expect((await waiting).body).toMatchObject({ transaction: { checkout_request_id: id } });
  });
});
