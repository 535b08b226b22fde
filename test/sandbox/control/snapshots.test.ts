import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { MAX_SNAPSHOTS } from "../../../sandbox/control/snapshot-shelf.ts";
import { areTotalsTrue } from "../../../src/store/sqlite/totals.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { HOST } from "../../support/control.ts";
import { readEvents } from "../../support/event-stream.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startIn } from "../../support/sandbox.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);
afterAll(cleanUp);

const save = (name: string) => sandbox.control("PUT", `/snapshots/${name}`);
const restore = (name: string) => sandbox.control("POST", `/snapshots/${name}/restore`);
const steering = () =>
  Promise.all(["/rules", "/default", "/clock", "/faults"].map(async (path) => sandbox.control("GET", path)));

describe("a snapshot keeps everything that a test changes, and brings it back", () => {
  test("transactions, one pending and one paid, as they were; and the pending one goes on", async () => {
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
    expect(areTotalsTrue(new Database(sandbox.harness.file))).toBe(true);
  });

  test("rules, default, faults, clock and webhook", async () => {
    const receiver = startReceiver();
    await sandbox.control("PUT", "/rules", [{ outcome: "cancelled", times: 2 }, { outcome: "wrong_pin" }]);
    await sandbox.control("PUT", "/default", { outcome: "unreachable", after: "7s" });
    await sandbox.control("PUT", "/faults", { seed: 7, faults: [{ kind: "error", path: "/status.php", times: 3 }] });
    await sandbox.control("PUT", "/webhook", { url: receiver.url, form: "flat", times: 2, seed: 1 });
    const before = await steering();
    await save("steered");
    await sandbox.pay();
    await sandbox.advanceClock("1h");
    await sandbox.control("POST", "/clock", { resume: true });
    await sandbox.control("DELETE", "/webhook");
    await sandbox.control("POST", "/reset");
    expect(await steering()).not.toEqual(before);
    await restore("steered");
    expect(await steering()).toEqual(before);
    expect(await sandbox.control("GET", "/webhook")).toMatchObject({
      webhook: { url: receiver.url, form: "flat", times: 2, seed: 1 },
      deliveries: [],
    });
    expect(await sandbox.list()).toEqual([]);
  });

  test("merchants, accounts and keys stay as they are", async () => {
    await save("early");
    const { merchant_id } = (await sandbox.control("POST", "/merchants", { name: "Late" })) as { merchant_id?: number };
    await restore("early");
    const { merchants } = await sandbox.control("GET", "/merchants");
    expect((merchants as { name: string }[]).map(({ name }) => name)).toContain("Late");
    expect(merchant_id).not.toBeNull();
  });

  test("log and audit begin anew", async () => {
    await save("clean");
    await sandbox.ask("POST", "/nothing", { json: {} });
    await restore("clean");
    expect(await sandbox.control("GET", "/requests")).toMatchObject({ requests: [] });
    expect(await sandbox.control("GET", "/audit")).toMatchObject({ findings: [] });
  });

  test("no number is used twice: ids and request ids go on from the greatest that was ever given", async () => {
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
      const known = new Set(seen);
      const id = await sandbox.pay();
      const [newest] = await sandbox.list();
      expect(newest?.checkout_request_id).toBe(id);
      expect(known.has(id)).toBe(false);
      expect(known.has(newest?.id)).toBe(false);
    }
  });

  test("can be restored again and again, and replaced", async () => {
    await save("a");
    for (let round = 0; round < 3; round += 1) {
      await sandbox.pay();
      await restore("a");
      expect(await sandbox.list()).toEqual([]);
    }
    await sandbox.pay();
    expect(await save("a")).toMatchObject({ snapshot: { transactions: 1 } });
    await sandbox.control("POST", "/reset");
    await restore("a");
    expect(await sandbox.list()).toHaveLength(1);
  });
});

describe("those who watch learn of it", () => {
  test("a wait for a payment ends: it may be another one now", async () => {
    await save("before");
    const id = await sandbox.pay();
    const waiting = sandbox.call("POST", "/wait", { json: { checkout_request_id: id } });
    await Bun.sleep(0);
    await restore("before");
    expect(await waiting).toMatchObject({ status: 404 });
  });

  test("listeners to events get steering: restore", async () => {
    await save("before");
    const stream = readEvents(
      await sandbox.handle(new Request(`http://${HOST}/_momo/events`, { headers: { Host: HOST } })),
    );
    await restore("before");
    await stream.until(() => stream.events.length === 1);
    expect(stream.events).toMatchObject([{ name: "steering", data: { what: "restore" } }]);
    await stream.leave();
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
      expect(await sandbox.call(method, path)).toMatchObject({
        status: 404,
        body: { message: expect.stringContaining("GET /_momo/snapshots lists them") },
      });
    }
  });

  test.each(["a.b", "%2fetc", "a%20b", "x".repeat(65)])("the name %s is refused", async (name) => {
    expect(await sandbox.refusal("PUT", `/snapshots/${name}`)).toContain("1 to 64 letters, digits, - and _");
  });

  test(`there are at most ${MAX_SNAPSHOTS}, also when many are saved at once`, async () => {
    const names = Array.from({ length: MAX_SNAPSHOTS + 5 }, (_, index) => `s${index}`);
    const answers = await Promise.all(names.map((name) => sandbox.call("PUT", `/snapshots/${name}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_SNAPSHOTS);
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain("delete one");
    await save("s0");
  });

  test("a body is no settings", async () => {
    expect(await sandbox.refusal("PUT", "/snapshots/a", { keep: 1 })).toContain("keep");
  });
});

test("a restored state, and the numbers after it, survive a restart", async () => {
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
  const { transactions } = (await second.control("GET", "/transactions")) as { transactions: { id: number }[] };
  expect(transactions).toMatchObject([{ id: 1, checkout_request_id: kept }]);
  const next = await second.pay();
  expect([kept, later]).not.toContain(next);
  const list = (await second.control("GET", "/transactions")) as { transactions: { id: number }[] };
  expect(list.transactions[0]?.id).toBe(3);
  await second.stop();
});
