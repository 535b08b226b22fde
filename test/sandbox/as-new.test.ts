import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Finding } from "../../sandbox/audit/shape.ts";
import { SharedSteering } from "../../sandbox/shared-steering.ts";
import type { State, StatePart } from "../../sandbox/steering.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { stopwatch, systemClock } from "../../src/system.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { onEveryEngine } from "../support/engines.ts";
import { startReceiver } from "../support/fake-server.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { type Sandbox, startIn } from "../support/sandbox.ts";
import { nextTurn, rejectionOf, SLACK_MS, turns } from "../support/waiting.ts";

afterAll(cleanUp);

/** Real time, and the files that have set the alarms. */
function createTime() {
  const alarms = new Map<object, string>();
  const realClock: Clock = {
    nowMs: systemClock.nowMs,
    alarm(atMs, ring) {
      const own = {};
      alarms.set(
        own,
        (new Error().stack ?? "").match(/(?:src|sandbox|cli)\/[\w/-]+\.ts(?!.*\/test\/)/g)?.join(" < ") ?? "",
      );
      const end = (then: () => void) => () => {
        alarms.delete(own);
        then();
      };
      return end(systemClock.alarm(atMs, end(ring)));
    },
  };
  return {
    realClock,
    alarms: () => [...alarms.values()],
  };
}

const READS = [
  "/rules",
  "/default",
  "/faults",
  "/prompts",
  "/requests",
  "/messages",
  "/webhook",
  "/snapshots",
  "/audit",
];

/** What a server shows of its state, without the time. */
async function shown({ control, list }: Sandbox) {
  const answers = await Promise.all(READS.map((path) => control("GET", path)));
  return [...answers, await list("?limit=5"), (await control("GET", "/clock")).frozen];
}

/** Uses every way to steer the sandbox, and undoes or resets it. */
async function steer({ control, controlUrl, pay, statusOf }: Sandbox, url: string, isShared: boolean): Promise<void> {
  const gone = new AbortController();
  const wait = (json: object, signal = new AbortController().signal) =>
    fetch(`${controlUrl}/wait`, {
      ...{ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(json), signal },
    });
  await Promise.all([1, 2].map(() => fetch(`${controlUrl}/events`, { signal: gone.signal })));

  await control("POST", "/clock", { freeze: true });
  await control("PUT", "/webhook", { url, early: true });
  await pay({}, "completed; after=0s");
  await control("PUT", "/webhook", { url, delay: "1h" });
  await pay({}, "wrong_pin; after=0s"); // its delivery waits
  await control("PUT", "/default", { outcome: "cancelled" });
  await control("POST", "/rules", [
    { outcome: "manual", times: 2 },
    { outcome: "completed", after: "1s" },
  ]);
  const [open, answered] = [await pay(), await pay()];
  const forgotten = wait({ checkout_request_id: open, timeout: "1h" });
  wait({ reference: "never", timeout: "1h" }, gone.signal).catch(() => {});
  expect((await wait({ checkout_request_id: open, timeout: "1ms" })).status).toBe(408);
  await control("POST", `/prompts/${answered}/answer`, { outcome: "cancelled" });
  expect((await wait({ checkout_request_id: answered })).status).toBe(200);

  const delay = { kind: "delay", delay: "20ms" };
  const faults = [
    { kind: "error", status: 503, times: 1 },
    { ...delay, times: 1 },
    { kind: "disconnect", times: 1 },
    delay,
  ];
  await control("PUT", "/faults", { seed: 7, faults });
  expect(await statusOf(open)).toContain("fault injected: HTTP 503");
  expect(await statusOf(open)).toBe("pending");
  expect(await rejectionOf(statusOf(open))).not.toBeNull();
  if (isShared) expect(String(await rejectionOf(control("PUT", "/snapshots/one", {})))).toContain(": 409 ");
  else {
    await control("PUT", "/snapshots/one", {});
    await control("POST", "/snapshots/one/restore", {});
    await control("DELETE", "/snapshots/one");
  }
  await pay();
  await control("POST", "/clock", { advance: "500ms" });
  await control("POST", "/clock", { resume: true });
  await control("POST", "/reset", {});
  await control("DELETE", "/audit");
  expect((await forgotten).status).toBe(404);
  gone.abort();
}

const LOOPS = /^src\/domain\/repeater/;

/** A server looks at its files and its descriptors all the time, a replica also at the engine's clock and at what others steer. */
const loopsOf = (isReplica: boolean) => (isReplica ? 4 : 2);

/** The polls of a replica. A server with its own database has none. */
const POLLS = /^src\/domain\/clock.ts < (?:src\/service\/resolver|sandbox\/webhooks\/sender)/;

onEveryEngine((engine) => {
  test("after every way to steer was used and undone, a server shows and keeps what a new one does", async () => {
    const { realClock, alarms } = createTime();
    const database = await engine.newDatabase();
    const { url } = startReceiver();
    const sandbox = await startIn(join(newFolder(), "data"), { realClock, database, webhook: url });
    const { control, controlUrl, pay, statusOf } = sandbox;
    const asNew = await shown(sandbox);
    await steer(sandbox, url, database !== null);
    const lost = 'momo_requests_total{operation="/status.php",status="none"} 1\n';
    expect(await (await fetch(`${controlUrl}/metrics`)).text()).toContain(lost);
    expect(await shown(sandbox)).toEqual(asNew);
    // What ends in the next turns has a moment for it.
    const left = () => {
      const loops = alarms().filter((setBy) => LOOPS.test(setBy));
      const others = alarms().filter((setBy) => !LOOPS.test(setBy) && !(database && POLLS.test(setBy)));
      return [...loops.slice(loopsOf(database !== null)), ...others];
    };
    for (const endMs = stopwatch() + SLACK_MS; left().length > 0 && stopwatch() < endMs; ) await Bun.sleep(5);
    expect(left()).toEqual([]);

    const found = async () =>
      ((await control("GET", "/audit")).findings as Finding[]).map(({ severity, kind }) => `${severity} ${kind}`);
    const advance = (duration: string) => control("POST", "/clock", { advance: duration });
    const careful = await pay();
    await advance("3s");
    expect(await statusOf(careful)).toBe("completed");
    await advance("31s");
    expect(await found()).toEqual([]);
    await pay();
    await advance("3s");
    await advance("31s");
    // A note, because the receiver takes the webhook of the start.
    expect(await found()).toEqual(["note end_not_learned"]);
    await sandbox.stop();
    expect(alarms()).toEqual([]);
  });
});

/** Steering with a table in memory: `fate` says what happens to the next changes. The rules are a text. */
async function openSteering() {
  const realClock = createManualClock(0);
  const memory = { rules: "", stored: { version: 1, document: "{}" }, fate: "made", behind: [] as string[] };
  const steering = new SharedSteering({
    table: {
      async read() {
        if (memory.fate === "cannot be read") throw new Error("the engine is down");
        return memory.stored;
      },
      async edit(edit) {
        const attempt = () => ({ version: memory.stored.version + 1, document: edit(memory.stored) });
        const first = attempt();
        if (memory.fate === "fails") throw new Error("the engine is down");
        if (memory.fate !== "is rolled back") memory.stored = first;
        if (memory.fate !== "made") memory.stored = attempt();
        return memory.stored;
      },
      join: async () => memory.stored,
      ...{ confirm: async () => {}, behind: async () => memory.behind, leave: async () => {} },
    },
    ...{ realClock, stopwatch: realClock.nowMs },
  });
  const unchanged: StatePart = { save: () => null, load: () => {}, reset: () => {} };
  const state: State = {
    ...{ default: unchanged, faults: unchanged, webhook: unchanged, clock: unchanged, reset: unchanged },
    rules: {
      ...unchanged,
      save: () => memory.rules,
      load: (saved) => {
        memory.rules = String(saved);
      },
    },
  };
  await steering.start(state, () => {});
  const add = (text: string) =>
    steering.change(() => {
      memory.rules += text;
    });
  return { steering, memory, add, realClock };
}

test("a change that could not be stored is taken back at the next look, although the stored version is the same", async () => {
  const { steering, memory, add } = await openSteering();
  await add("first");
  memory.fate = "fails";
  expect(String(await rejectionOf(add("second")))).toBe("Error: the engine is down");
  await steering.refresh();
  expect(memory.rules).toBe("first");
  await steering.stop();
});

test.each(["loses its answer", "is rolled back"])("a change that %s, and is sent again, is made once", async (fate) => {
  const { steering, memory, add } = await openSteering();
  memory.fate = fate;
  await add("one ");
  expect([memory.rules, JSON.parse(memory.stored.document)]).toEqual(["one ", { rules: "one " }]);
  await steering.stop();
});

test("a server that cannot look for 3 s may not decide; it looks on, and then applies what others have changed", async () => {
  const { steering, memory, realClock } = await openSteering();
  const isFreshAfter = async (durationMs: number) => {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 200) {
      realClock.advance(200);
      await turns(5);
    }
    return steering.isFresh;
  };
  expect(await isFreshAfter(10_000)).toBe(true);
  memory.fate = "cannot be read";
  expect(await isFreshAfter(1800)).toBe(true);
  expect(await isFreshAfter(1400)).toBe(false);
  Object.assign(memory, { fate: "made", stored: { version: 9, document: '{"rules":"theirs"}' } });
  expect([await isFreshAfter(400), memory.rules]).toEqual([true, "theirs"]);
  await steering.stop();
});

test("a change that another server does not confirm within 5 s is an error that names it", async () => {
  const { steering, memory, add, realClock } = await openSteering();
  memory.behind = ["b/two"];
  let failure: unknown;
  void add("one").catch((error: unknown) => {
    failure = error;
  });
  for (let passedMs = 0; passedMs < 6000; passedMs += 50) {
    await nextTurn();
    realClock.advance(50);
  }
  expect(String(failure)).toContain("not confirmed by every replica after 5 s: b/two");
  await steering.stop();
});
