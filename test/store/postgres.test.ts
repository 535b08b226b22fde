import { expect, test } from "bun:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { createEngineClock } from "../../src/store/postgres/engine-clock.ts";
import { NoAnswer } from "../../src/store/postgres/failures.ts";
import { createHeartbeat } from "../../src/store/postgres/heartbeat.ts";
import { fromStored, toStored } from "../../src/store/postgres/rows.ts";
import type { EngineSql } from "../../src/store/postgres/sql.ts";
import { createVitals } from "../../src/store/postgres/vitals.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { nextTurn } from "../support/waiting.ts";

/** The parts of the PostgreSQL engine that need no server: its clock, its heartbeat, its address, and texts with NUL. */

const HOST_MS = 1_800_000_000_000;

/** A host whose clock is `aheadMs` wrong; time passes only when the test calls `pass`. */
function openClock(aheadMs = 0) {
  const host = createManualClock(HOST_MS + aheadMs);
  let passedMs = 0;
  const clock = createEngineClock(host, () => passedMs);
  return {
    clock,
    host,
    stopwatch: () => passedMs,
    pass(durationMs: number) {
      passedMs += durationMs;
      host.advance(durationMs);
    },
    /** A measurement, in which the engine's clock is `engineAheadMs` wrong. */
    measure: (engineAheadMs = 0) =>
      clock.correct({ engineMs: HOST_MS + passedMs + engineAheadMs, stopwatchMs: passedMs }),
    rightMs: () => HOST_MS + passedMs,
  };
}

test.each([-5000, 0, 5000])("a host whose clock is %p ms wrong shows the engine's time, and rings by it", (aheadMs) => {
  const { clock, measure, pass, rightMs } = openClock(aheadMs);
  expect(clock.state).toBe("unknown");
  measure();
  pass(1234);
  expect(clock.nowMs()).toBe(rightMs());
  expect([clock.state, clock.offsetMs]).toEqual(["known", 0 - aheadMs]);
  let rungAtMs = 0;
  clock.alarm(rightMs() + 3000, () => {
    rungAtMs = clock.nowMs();
  });
  pass(2999);
  expect(rungAtMs).toBe(0);
  pass(1);
  expect(rungAtMs).toBe(rightMs());
});

test("an alarm waits for its time while the clock runs slower than the host's, and can be cancelled until then", () => {
  const { clock, measure, pass } = openClock();
  measure();
  measure(-500);
  const atMs = clock.nowMs() + 1000;
  const rungAtMs: number[] = [];
  clock.alarm(atMs, () => rungAtMs.push(clock.nowMs()));
  const cancel = clock.alarm(atMs, () => rungAtMs.push(0));
  for (let step = 1; step <= 105; step += 1) pass(10);
  expect(rungAtMs).toEqual([]);
  cancel();
  for (let step = 1; step <= 20; step += 1) pass(10);
  expect(rungAtMs).toEqual([expect.closeTo(atMs, -2)]);
  expect(rungAtMs[0]).toBeGreaterThanOrEqual(atMs);
});

test.each([500, -500])(
  "after a measurement that differs by %p ms, the clock runs at most a tenth faster or slower, and never jumps",
  (aheadMs) => {
    const { clock, measure, pass, rightMs } = openClock();
    measure();
    pass(1000);
    let before = clock.nowMs();
    measure(aheadMs);
    expect([clock.state, clock.nowMs()]).toEqual(["known", before]);
    for (let step = 1; step <= 50; step += 1) {
      pass(100);
      expect(Math.abs(clock.nowMs() - before - 100)).toBeLessThanOrEqual(11);
      before = clock.nowMs();
    }
    expect(Math.abs(before - rightMs() - aheadMs)).toBeLessThanOrEqual(1);
  },
);

const REASONS = {
  known: null,
  unknown: "the database's clock is not known",
  jumped: "the database's clock has jumped",
};

test("the clock is unknown half a minute after a measurement, and jumped while it is more than a second wrong: then no payment is stored", () => {
  const { clock, measure, pass } = openClock();
  const { whyNotWritable } = createVitals({ clock } as unknown as Parameters<typeof createVitals>[0]);
  for (const [step, state] of [
    [() => measure(), "known"],
    [() => pass(30_000), "known"],
    [() => pass(1), "unknown"],
    [() => measure(), "known"],
    [() => measure(3000), "jumped"],
    [() => pass(19_000), "jumped"],
    [() => pass(2000), "known"],
    [() => measure(-3000), "jumped"],
  ] as const) {
    step();
    expect([clock.state, whyNotWritable()]).toEqual([state, REASONS[state]]);
  }
});

interface BeatParts {
  /** Answers a query, or throws. */
  readonly answer: () => object | Promise<object>;
  readonly afterBeat?: () => void;
  readonly reportFault?: (error: unknown) => void;
}

/** A heartbeat whose queries the test answers. */
function openHeartbeat({ answer, afterBeat, reportFault }: BeatParts, { clock, host, stopwatch } = openClock()) {
  const query = async () => [await answer()];
  const sql = { reading: (work: (connection: object) => unknown) => work({ query }) } as unknown as EngineSql;
  return createHeartbeat({
    ...{ sql, clock, host, stopwatch },
    afterBeat: async () => afterBeat?.(),
    reportFault: reportFault ?? ((error) => expect(error).toBeNull()),
  });
}
const SAFE = { ms: HOST_MS, isStandby: false, commit: "on", standbys: "", fsync: "on" };

test.each([
  ["on", "", "on", "disk", false],
  ["local", "*", "on", "disk", false],
  ["on", "*", "on", "standby (*)", true],
  ["remote_apply", "one", "on", "standby (one)", true],
  ["remote_write", "*", "on", "memory of a standby (*)", false],
  ["remote_write", "", "on", "disk", false],
  ["off", "*", "on", "nothing: synchronous_commit is off", false],
  ["on", "", "off", "nothing: fsync is off", false],
])(
  "synchronous_commit %s, standbys %p, fsync %s: a commit is kept by %s",
  async (commit, standbys, fsync, durability, isReplicated) => {
    const heartbeat = openHeartbeat({ answer: () => ({ ...SAFE, commit, standbys, fsync }) });
    await heartbeat.beat();
    expect(heartbeat.durability).toEqual({ durability, isReplicated, isStandby: false });
    heartbeat.stop();
  },
);

test("of three readings of the engine's clock the one with the shortest round trip counts", async () => {
  const parts = openClock();
  const tripsMs = [400, 20, 300];
  // The engine reads its clock as soon as it is asked. Half a round trip is subtracted, so that the error is 10 ms.
  const answer = () => {
    const ms = parts.rightMs();
    parts.pass(tripsMs.shift() ?? 0);
    return { ms };
  };
  const heartbeat = openHeartbeat({ answer }, parts);
  await heartbeat.beat();
  expect(parts.clock.nowMs()).toBe(parts.rightMs() - 10);
  heartbeat.stop();
});

test("the server is asked for its clock every ten seconds, each time with the work after it, until the heartbeat is stopped", async () => {
  const parts = openClock();
  let [queries, works] = [0, 0];
  let answered = Promise.resolve();
  const answer = async () => {
    queries += 1;
    await answered;
    return SAFE;
  };
  const afterBeat = () => {
    works += 1;
  };
  openHeartbeat({ answer, afterBeat }, parts).stop();
  expect(parts.host.alarmsAtMs).toEqual([]);
  const heartbeat = openHeartbeat({ answer, afterBeat }, parts);
  for (let count = 1; count <= 3; count += 1) {
    parts.pass(9999);
    await nextTurn();
    expect([queries, works]).toEqual([4 * (count - 1), count - 1]);
    parts.pass(1);
    await nextTurn();
    expect([queries, works]).toEqual([4 * count, count]);
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  answered = promise;
  parts.pass(10_000);
  heartbeat.stop();
  resolve();
  await nextTurn();
  expect(parts.host.alarmsAtMs).toEqual([]);
});

test("what goes wrong at a beat is reported once while it lasts, and again when it returns; that the server is silent, never", async () => {
  const parts = openClock();
  const [refused, other] = ["22003", "25006"].map((errno) => Object.assign(new Error(errno), { errno }));
  const sound = [null, null, null, null]; // the queries of a beat
  const errors = [refused, refused, new NoAnswer("connection"), refused, other, ...sound, other];
  const faults: unknown[] = [];
  const heartbeat = openHeartbeat(
    {
      answer() {
        const error = errors.shift();
        if (error) throw error;
        return SAFE;
      },
      reportFault: (error) => faults.push(error),
    },
    parts,
  );
  while (errors.length > 0) {
    parts.pass(10_000);
    await nextTurn();
    await nextTurn();
  }
  expect(faults).toEqual([refused, refused, other, other]);
  heartbeat.stop();
});

test.each(["", "a", "\0", "\u0001", "\u0002", "\0\u0001\u0002\u0001\0", "a\0\0b\u0001\u0001c"])(
  "a text is stored without NUL, is read back unchanged, and each start of it is a start of the stored text: %j",
  (text) => {
    expect(toStored(text)).not.toContain("\0");
    expect(fromStored(toStored(text))).toBe(text);
    for (let length = 0; length <= text.length; length += 1) {
      expect(toStored(text)).toStartWith(toStored(text.slice(0, length)));
    }
  },
);

test.each([
  ["postgres://shop@db/", { hostname: "db", port: 5432, username: "shop", password: "", database: "shop" }],
  [
    "postgresql://a%40b:p%2Fw@[::1]:6000/x%20y",
    { hostname: "::1", port: 6000, username: "a@b", password: "p/w", database: "x y" },
  ],
  ["postgres://u@%2Frun%2Fpg/x", { hostname: "/run/pg", port: 5432 }],
  ["postgres://u@ignored/x?host=/run/pg", { hostname: "/run/pg" }],
  [
    "postgres://u@h/x?application_name=till&options=-c%20a=b",
    { connection: { application_name: "till", options: "-c a=b" } },
  ],
  ["postgres://u@h/x", { tls: "prefer" }],
  ...["", "sslmode=prefer&", "sslmode=disable&"].map((mode): [string, object] => [
    `postgres://u@h/x?${mode}sslrootcert=/ca.pem`,
    { tls: { ca: expect.objectContaining({ name: "/ca.pem" }) } },
  ]),
  ["postgres://u@h/x?sslmode=require", { tls: "require", connection: { application_name: "momo test" } }],
])("the login of %s", (url, login) => {
  expect(parseAddress(url, null, "momo test").login).toMatchObject(login);
});

test("a % that begins no escape is refused, and the password is not shown", () => {
  for (const url of ["postgres://u:50%off@h/x", "postgres://u%@h/x", "postgres://u@h/%zz"]) {
    expect(() => parseAddress(url, null, "")).toThrow(
      "the URL of the database has a % that begins no escape: write it as %25",
    );
  }
});

test("a password of its own counts, not that of the URL; messages name the database without its user", () => {
  const { login, name } = parseAddress("postgres://u:old@h/x", "new", "momo test");
  expect(login).toMatchObject({ password: "new" });
  expect([name, parseAddress("postgres://u@%2Frun/x", null, "").name]).toEqual([
    "the database x at h:5432",
    "the database x at /run",
  ]);
});
