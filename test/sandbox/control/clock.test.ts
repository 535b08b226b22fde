import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataDirectoryAt } from "../../../cli/serving/data-directory.ts";
import { readClock } from "../../../cli/serving/records.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { isSteering } from "../../support/event-stream.ts";
import { type Sandbox, startIn } from "../../support/sandbox.ts";
import { insertDue, testRefusals, useScene } from "../../support/scene.ts";
import { failWrites } from "../../support/shop.ts";
import { rejectionOf, SLACK_MS } from "../../support/waiting.ts";

afterAll(cleanUp);

/** Its clock stands at 10:00:00 in Nairobi. */
const sandbox = useScene();

const move = (body: object) => sandbox.control("POST", "/clock", body);

describe("GET and POST /_momo/clock", () => {
  test("GET shows the time; advance moves it, frozen or not; resume lets it go on; freeze stops it", async () => {
    expect(await sandbox.control("GET", "/clock")).toEqual({
      success: true,
      message: "it is 2026-11-20 10:00:00 in Nairobi; the clock is frozen",
      now: "2026-11-20 10:00:00",
      now_ms: Date.UTC(2026, 10, 20, 7),
      frozen: true,
    });
    expect(await move({ advance: "90s" })).toMatchObject({ now: "2026-11-20 10:01:30", frozen: true });
    expect(await move({ resume: true })).toMatchObject({ now: "2026-11-20 10:01:30", frozen: false });
    expect(await move({ advance: "1h" })).toMatchObject({ now: "2026-11-20 11:01:30", frozen: false });
    const frozen = await move({ freeze: true });
    expect(frozen).toMatchObject({ frozen: true });
    expect(await sandbox.control("GET", "/clock")).toEqual(frozen);
  });

  test("several in one request: it stops, then moves, then goes on", async () => {
    await move({ resume: true });
    expect(await move({ freeze: true, advance: "2m" })).toMatchObject({ now: "2026-11-20 10:02:00", frozen: true });
    expect(await move({ advance: "2m", resume: true })).toMatchObject({ now: "2026-11-20 10:04:00", frozen: false });
  });
});

describe("a move that makes no sense is refused, and the clock stays as it was", () => {
  testRefusals(sandbox, "POST", "/clock", [
    [{ advance: "25h" }, "advance is not a duration up to 24h"],
    [{ advance: 90 }, "advance "],
    [{ freeze: "yes" }, 'freeze must be true; leave freeze out otherwise; it is "yes"'],
    [{ resume: 1 }, "resume must be true"],
    [{ freeze: true, resume: true }, "give freeze or resume, not both"],
    [{ freeze: true, advance: "x" }, "advance is not a duration up to 24h"],
    [{ resume: true, to: "2027-01-01" }, 'there is no member "to"; the members are '],
    [{}, 'give "freeze":true, "advance":"90s" or "resume":true'],
    [[], "the body must be a JSON object"],
  ]);
});

describe("payments follow the clock", () => {
  test("timestamps, and the identifiers that contain them", async () => {
    await move({ advance: "14h" });
    const id = await sandbox.pay();
    expect(id).toStartWith("ws_CO_21112026000000_");
    await move({ advance: "3s" });
    expect(await sandbox.statusOf(id)).toMatchObject({
      created_at: "2026-11-21 00:00:00",
      completed_at: "2026-11-21 00:00:03",
      momo_receipt_number: expect.stringMatching(/^UKL/),
    });
  });

  test("nothing falls due while it stands still; an advance resolves what it passes, each at its own instant", async () => {
    const [soon, late] = [await sandbox.pay(), await sandbox.pay({}, { "X-Sandbox-Outcome": "completed_late" })];
    expect(await sandbox.list("?status=pending")).toHaveLength(2);
    await move({ advance: "10s" });
    expect(await sandbox.statusOf(soon)).toMatchObject({ completed_at: "2026-11-20 10:00:03" });
    expect(await sandbox.statusOf(late)).toMatchObject({ status: "pending", completed_at: null });
    await move({ advance: "1h" });
    expect(await sandbox.statusOf(late)).toMatchObject({ completed_at: "2026-11-20 10:00:30" });
  });

  test("when it goes on, prompts fall due by themselves", async () => {
    const id = await sandbox.pay({}, { "X-Sandbox-Outcome": "completed; after=1ms" });
    await move({ resume: true });
    await sandbox.control("POST", "/wait", { checkout_request_id: id, timeout: "50s" });
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed" });
  });
});

describe("advance returns when all that fell due is resolved", () => {
  const completed = async () =>
    ((await sandbox.ask("GET", "/transactions.php?limit=1")).body.summary as Record<string, number>).completed_count;

  test("in the order in which it fell due", async () => {
    const phones = ["254700000037", "254700000030", "254700000032", "254700000019", "254700000000"];
    const started = new Map<unknown, string>();
    for (const phone of phones) started.set(await sandbox.pay({ phone }), phone);
    const stream = await sandbox.listen();
    await move({ advance: "1h" });
    const events = await stream.until((all) => all.some(isSteering));
    const ended = events.filter(({ name }) => name === "transaction").map(({ data }) => data.checkout_request_id);
    expect(ended.map((id) => started.get(id))).toEqual([
      "254700000032",
      "254700000000",
      "254700000037",
      "254700000030",
      "254700000019",
    ]);
  });

  test("2,000 payments at once, also by two advances, and none that is not due", async () => {
    await insertDue(sandbox, 2001);
    await Promise.all([move({ advance: "1s" }), move({ advance: "1s" })]);
    expect(await completed()).toBe(2000);
    await move({ advance: "1ms" });
    expect(await completed()).toBe(2001);
  });

  test("500 if it cannot, because the database cannot be written", async () => {
    const id = await sandbox.pay();
    const { store, faults } = sandbox;
    const allowWrites = failWrites(store, "database is locked");
    const answer = await sandbox.call("POST", "/clock", { json: { advance: "3s" } });
    expect(answer).toMatchObject({ status: 500, body: { success: false, message: "internal server error" } });
    allowWrites();
    await move({ advance: "0s" });
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed", completed_at: "2026-11-20 10:00:03" });
    expect(faults.splice(0).map(String)).toContain("Error: database is locked");
  });
});

const clockOf = (sandbox: Sandbox) => sandbox.control("GET", "/clock");

/** How far the clock is ahead of the clock of this machine. */
const aheadMs = async (sandbox: Sandbox) => Number((await clockOf(sandbox)).now_ms) - Date.now();

test("a restart keeps payments, who decided them, messages and the clock; also what a reset removed", async () => {
  const directory = join(newFolder(), "data");
  const first = await startIn(directory);
  await first.control("POST", "/clock", { freeze: true, advance: "1h" });
  await first.control("POST", "/rules", [{ outcome: "completed", after: "3s" }]);
  const [pending, answered] = [await first.pay(), await first.pay()];
  await first.control("POST", `/prompts/${answered}/answer`, { pin: "1234" });
  const shown = async (sandbox: Sandbox) => {
    const stories = [pending, answered].map(async (id) => {
      const { transaction, decided_by } = await sandbox.control("GET", `/transactions/${id}`);
      return { transaction, decided_by };
    });
    return Promise.all([clockOf(sandbox), sandbox.control("GET", "/messages"), ...stories]);
  };
  const before = await shown(first);
  expect(before).toMatchObject([
    { frozen: true },
    { messages: [{ checkout_request_id: answered }] },
    { transaction: { status: "pending" }, decided_by: { who: "rule", rule: 1 } },
    { transaction: { status: "completed" }, decided_by: { who: "person", outcome: "completed" } },
  ]);
  await first.stop();
  expect(statSync(join(directory, "clock.json")).mode & 0o777).toBe(0o600);

  const second = await startIn(directory);
  expect(await shown(second)).toEqual(before);
  await second.control("POST", "/clock", { advance: "2999ms" });
  expect(await second.statusOf(pending)).toBe("pending");
  await second.control("POST", "/clock", { advance: "1ms" });
  expect(await second.statusOf(pending)).toBe("completed");
  await second.control("POST", "/clock", { advance: "23h", resume: true });
  await second.stop();

  const third = await startIn(directory);
  expect(await clockOf(third)).toMatchObject({ frozen: false });
  expect(await aheadMs(third)).toBeWithin(86_400_000 - SLACK_MS, 86_400_000 + SLACK_MS);
  await third.control("POST", "/reset", {});
  expect(existsSync(join(directory, "clock.json"))).toBe(false);
  await third.stop();

  const last = await startIn(directory);
  expect(await clockOf(last)).toMatchObject({ frozen: false });
  expect(await aheadMs(last)).toBeWithin(-SLACK_MS, SLACK_MS);
  expect(await last.control("GET", "/messages")).toMatchObject({ messages: [] });
  const list = await fetch(`${last.baseUrl}/transactions.php`, { headers: first.headers });
  expect(await list.json()).toMatchObject({ transactions: [], summary: { completed_count: 0, pending_count: 0 } });
});

describe("a damaged clock.json is refused with a line that names it, and stays as it is", () => {
  test.each([
    "",
    "{",
    "null",
    "[]",
    '"2026-11-20"',
    "{}",
    '{"frozen_at_ms":"now"}',
    '{"frozen_at_ms":1.5}',
    '{"frozen_at_ms":1,"ahead_ms":2}',
    '{"ahead_ms":null}',
    // Beyond every calendar.
    '{"frozen_at_ms":9007199254740991}',
    '{"ahead_ms":-9007199254740991}',
  ])("%p", (content) => {
    const folder = newFolder();
    const file = join(folder, "clock.json");
    writeFileSync(file, content);
    expect(() => readClock(dataDirectoryAt(folder))).toThrow(`${file} cannot be read as a file of momo's`);
    expect(readFileSync(file, "utf8")).toBe(content);
  });

  test("and the server does not start", async () => {
    const directory = join(newFolder(), "data");
    await (await startIn(directory)).stop();
    writeFileSync(join(directory, "clock.json"), "{");
    expect(await rejectionOf(startIn(directory))).toMatchObject({ name: "Failure" });
  });
});
