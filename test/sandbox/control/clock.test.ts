import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataDirectoryAt } from "../../../cli/files/data-directory.ts";
import { readClock } from "../../../cli/files/server-record.ts";
import { clockBy, systemClock } from "../../../src/system.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { isSteering } from "../../support/client.ts";
import { type Sandbox, startIn } from "../../support/sandbox.ts";
import { useScene } from "../../support/scene.ts";
import { failWrites } from "../../support/shop.ts";
import { rejectionOf } from "../../support/waiting.ts";
import { insertDue } from "./due.ts";

afterAll(cleanUp);

const sandbox = useScene();

const move = (body: object) => sandbox.control("POST", "/clock", body);

test("when the clock goes on, prompts fall due by themselves", async () => {
  const id = await sandbox.pay({}, { "X-Sandbox-Outcome": "completed; after=1ms" });
  await move({ resume: true });
  await sandbox.control("POST", "/wait", { checkout_request_id: id, timeout: "50s" });
  expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed" });
});

test("a clock that runs says how far it is from the machine's", async () => {
  sandbox.clock.show(systemClock.nowMs() + 7_200_000, false);
  expect((await sandbox.control("GET", "/clock")).message).toEndWith("; the clock runs, +2 h from this machine's");
});

test("a refused advance changes nothing, nor does a freeze beside it", async () => {
  sandbox.clock.show(Date.UTC(9999, 11, 29, 12), false);
  expect(await sandbox.refusal("POST", "/clock", { freeze: true, advance: "24h" })).toContain("9999");
  expect(await sandbox.control("GET", "/clock")).toMatchObject({ frozen: false });
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

const HOUR_MS = 3_600_000;

/** A clock of the host that stands, so that what passes meanwhile is not measured. */
const host = { nowMs: Date.UTC(2026, 10, 20, 7) };
const realClock = clockBy(() => host.nowMs);

/** How far the clock is ahead of the host's. */
const aheadMs = async (sandbox: Sandbox) => Number((await clockOf(sandbox)).now_ms) - host.nowMs;

test("a restart keeps payments, who decided them, messages and the clock; also what a reset removed", async () => {
  const directory = join(newFolder(), "data");
  const first = await startIn(directory, { realClock });
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

  const second = await startIn(directory, { realClock });
  expect(await shown(second)).toEqual(before);
  await second.control("POST", "/clock", { advance: "2999ms" });
  expect(await second.statusOf(pending)).toBe("pending");
  await second.control("POST", "/clock", { advance: "1ms" });
  expect(await second.statusOf(pending)).toBe("completed");
  await second.control("POST", "/clock", { advance: "23h" });
  await second.control("POST", "/clock", { resume: true });
  await second.stop();

  const third = await startIn(directory, { realClock });
  expect(await clockOf(third)).toMatchObject({ frozen: false });
  expect(await aheadMs(third)).toBe(24 * HOUR_MS + 3000);
  await third.control("POST", "/reset", {});
  expect(await aheadMs(third)).toBe(0);
  expect(existsSync(join(directory, "clock.json"))).toBe(false);
  await third.stop();

  const faults: unknown[] = [];
  const fourth = await startIn(directory, { realClock, reportFault: (error) => void faults.push(error) });
  mkdirSync(join(directory, "clock.json"));
  expect(await fourth.control("POST", "/clock", { freeze: true })).toMatchObject({ frozen: true });
  expect(String(faults)).toContain("clock.json");
  expect(readdirSync(directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  await fourth.stop();
  rmdirSync(join(directory, "clock.json"));

  const last = await startIn(directory, { realClock });
  expect(await clockOf(last)).toMatchObject({ frozen: false });
  expect(await aheadMs(last)).toBe(0);
  expect(await last.control("GET", "/messages")).toMatchObject({ messages: [] });
  const list = await fetch(`${last.baseUrl}/transactions.php`, { headers: first.headers });
  expect(await list.json()).toMatchObject({ transactions: [], summary: { completed_count: 0, pending_count: 0 } });
});

test("where the host's clock was set back while no server ran, the sandbox's goes on from the last payment", async () => {
  const directory = newFolder();
  const first = await startIn(directory, { realClock });
  await first.pay({}, "manual");
  const lastMs = Number((await clockOf(first)).now_ms);
  await first.stop();
  const warnings: string[] = [];
  const again = await startIn(directory, {
    realClock: clockBy(() => host.nowMs - 86_400_000),
    warn: (line) => void warnings.push(line),
  });
  expect(Number((await clockOf(again)).now_ms)).toBeWithin(lastMs, lastMs + HOUR_MS);
  expect(warnings).toEqual([expect.stringContaining("this machine's clock is before")]);
});

describe("--clock with a data directory that was used", () => {
  const atMs = Date.UTC(2026, 2, 31, 7);
  /** A server that `--clock` lets run, with its clock an hour later. */
  async function startLater(directory: string): Promise<Sandbox> {
    const first = await startIn(directory, { realClock, startAt: { atMs, isFrozen: false } });
    await first.control("POST", "/clock", { advance: "1h" });
    return first;
  }
  const shownBy = async (sandbox: Sandbox) => Number((await clockOf(sandbox)).now_ms);

  test.each([
    ["without payments", false],
    ["with payments", true],
  ])("a clock that runs goes on after the same start, %s, and returns to its time at a reset", async (_, isPaid) => {
    const directory = newFolder();
    const first = await startLater(directory);
    if (isPaid) await first.pay({}, "manual");
    await first.stop();
    const again = await startIn(directory, { realClock, startAt: { atMs, isFrozen: false } });
    expect(await shownBy(again)).toBe(atMs + HOUR_MS);
    await again.control("POST", "/reset", {});
    expect(await shownBy(again)).toBe(atMs);
    await again.stop();
  });

  test("a clock that was frozen by hand stays frozen", async () => {
    const directory = newFolder();
    const first = await startLater(directory);
    await first.pay({}, "manual");
    await first.control("POST", "/clock", { freeze: true });
    await first.stop();
    const again = await startIn(directory, { realClock, startAt: { atMs, isFrozen: false } });
    expect(await clockOf(again)).toMatchObject({ frozen: true, now_ms: atMs + HOUR_MS });
    await again.stop();
  });

  test.each([
    ["that stands", atMs, true],
    ["of another time", atMs + 1000, false],
  ])("a start with a clock %s is refused after later payments", async (_, startMs, isFrozen) => {
    const directory = newFolder();
    const first = await startLater(directory);
    await first.pay({}, "manual");
    await first.stop();
    const refused = rejectionOf(startIn(directory, { realClock, startAt: { atMs: startMs, isFrozen } }));
    expect(await refused).toMatchObject({ message: expect.stringContaining("have reached 2026-03-31 11:00:00") });
  });
});

test("a host whose clock is 50 years behind at the start: when it is corrected, the sandbox shows its time", async () => {
  const directory = newFolder();
  const first = await startIn(directory, { realClock });
  await first.pay({}, "manual");
  await first.stop();
  let behindMs = 50 * 365 * 86_400_000;
  const again = await startIn(directory, { realClock: clockBy(() => host.nowMs - behindMs) });
  await again.control("POST", "/clock", { advance: "1h" });
  expect(await aheadMs(again)).toBeWithin(HOUR_MS, 2 * HOUR_MS);
  behindMs = 0;
  expect(await aheadMs(again)).toBeWithin(HOUR_MS, 2 * HOUR_MS);
});

describe("a damaged clock.json is refused with a line that names it, and stays as it is", () => {
  test.each([
    "{",
    "null",
    "[]",
    '"2026-11-20"',
    "{}",
    '{"frozen_at_ms":"now"}',
    '{"frozen_at_ms":1.5}',
    '{"frozen_at_ms":1,"ahead_ms":2}',
    '{"ahead_ms":null}',
    '{"ahead_ms":1,"started_at_ms":-1}',
    '{"ahead_ms":1,"by":"another program"}',
    '{"started_at_ms":1}',
    '{"frozen_at_ms":9007199254740991}',
    '{"ahead_ms":-9007199254740991}',
  ])("%p", (content) => {
    const folder = newFolder();
    const file = join(folder, "clock.json");
    writeFileSync(file, content);
    expect(() => readClock(dataDirectoryAt(folder))).toThrow(
      `${file} is not a file that momo wrote, and stays as it is`,
    );
    expect(readFileSync(file, "utf8")).toBe(content);
  });
});
