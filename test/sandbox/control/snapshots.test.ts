import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, forEachTest, newFolder } from "../../support/cleanup.ts";
import { startIn } from "../../support/sandbox.ts";
import { openScene } from "../../support/scene.ts";
import { START_MS } from "../../support/service.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_SNAPSHOTS = 20;

afterAll(cleanUp);

const sandbox = forEachTest(openScene);
const save = (name: string) => sandbox.control("PUT", `/snapshots/${name}`);
const restore = (name: string) => sandbox.control("POST", `/snapshots/${name}/restore`);

describe("a restore", () => {
  test("a wait for a payment ends, because the payment may be another one now", async () => {
    await save("before");
    const id = await sandbox.pay();
    const waiting = sandbox.call("POST", "/wait", { json: { checkout_request_id: id } });
    await Bun.sleep(0);
    await restore("before");
    expect(await waiting).toMatchObject({ status: 404 });
  });

  test("that fails leaves the clock as it was", async () => {
    await save("one");
    await sandbox.control("POST", "/clock", { advance: "1h", resume: true });
    const restoreTransactions = () => Promise.reject(new Error("the disk is full"));
    Object.assign(sandbox.service, { restoreTransactions });
    expect(await sandbox.call("POST", "/snapshots/one/restore")).toMatchObject({ status: 500 });
    expect(sandbox.faults.splice(0).map(String)).toEqual(["Error: the disk is full"]);
    const { now_ms, frozen } = await sandbox.control("GET", "/clock");
    expect([Number(now_ms) >= START_MS + 3_600_000, frozen]).toEqual([true, false]);
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

test.each([
  ["a reset", "/reset"],
  ["a restore", "/snapshots/before/restore"],
])("payments that start while %s sets the clock back are stored before it or refused", async (_how, path) => {
  await save("before");
  let isOver = false;
  const refusals: unknown[] = [];
  const clients = Array.from({ length: 32 }, async () => {
    while (!isOver) await sandbox.pay().catch((error) => refusals.push(error));
  });
  for (let round = 0; round < 3; round += 1) {
    await sandbox.control("POST", "/clock", { advance: "1h" });
    await sandbox.control("POST", path);
  }
  isOver = true;
  await Promise.all(clients);
  for (const refusal of refusals) expect(String(refusal)).toContain("nothing is stored, start the payment again");
  const last = await sandbox.pay();
  const { now_ms } = await sandbox.control("GET", "/clock");
  const rows = (await sandbox.control("GET", "/transactions?limit=100")).transactions as {
    created_at: string;
    checkout_request_id: string;
  }[];
  expect(rows[0]?.checkout_request_id).toBe(last);
  for (const { created_at } of rows) expect(Date.parse(`${created_at}+03:00`)).toBeLessThanOrEqual(Number(now_ms));
});

test(`there are at most ${MAX_SNAPSHOTS} snapshots, also when many are saved at once`, async () => {
  const names = Array.from({ length: MAX_SNAPSHOTS + 5 }, (_, index) => `s${index}`);
  const answers = await Promise.all(names.map((name) => sandbox.call("PUT", `/snapshots/${name}`)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_SNAPSHOTS);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body.message).toBe(`there are ${MAX_SNAPSHOTS} snapshots already: delete one`);
  await save("s0");
});

test("a snapshot has 100,000 payments, all together 200,000; one that is replaced or removed leaves memory, and does not count", async () => {
  const rooms: number[] = [];
  let dropped = 0;
  const drop = async () => {
    dropped += 1;
  };
  sandbox.service.saveTransactions = async (most) => {
    rooms.push(most);
    return { count: 60_000, restore: async () => {}, drop };
  };
  for (const name of ["a", "b", "c", "b"]) await save(name);
  expect([rooms, dropped]).toEqual([[100_000, 100_000, 80_000, 80_000], 1]);
  await sandbox.control("DELETE", "/snapshots/a");
  expect(dropped).toBe(2);
  sandbox.service.saveTransactions = async () => null;
  const refused = await sandbox.refusal("PUT", "/snapshots/d", undefined, 409);
  expect(refused).toStartWith("a snapshot can have 100000 transactions, and all snapshots together 200000");
});

const reset = () => sandbox.control("POST", "/reset");

describe("POST /_momo/reset", () => {
  test("removes also the rules that the server was started with", async () => {
    const rules = [{ match: {}, outcome: "cancelled" as const }];
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
