import {
  type ClockState,
  createVirtualClock,
  LAST_INSTANT_MS,
  type Start,
  stateAt,
  type VirtualClock,
} from "../../sandbox/network/clock.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Store } from "../../src/store/store.ts";
import { clockBy, steadyTime } from "../../src/system.ts";
import type { DataDirectory } from "../files/data-directory.ts";
import { readClock, writeClock } from "../files/server-record.ts";
import { Failure } from "../terminal/failure.ts";
import type { Engine } from "./engine.ts";

/** The clock of a server: where it starts, and what is kept of it for the next start. */

export interface ClockOptions {
  /** Where the clock starts, and returns to at a reset; absent or null: the host's time. */
  readonly startAt?: Start | null;
  readonly directory: DataDirectory;
  readonly stopwatch: () => number;
  readonly reportFault: (error: unknown) => void;
  readonly warn: (line: string) => void;
  readonly optionName: (flag: string) => string;
}

/** The clock of the sandbox. Servers that share a database get its state with the rest of what they share. */
export async function clockOf({ replica, store, clock: below }: Engine, options: ClockOptions): Promise<VirtualClock> {
  const { directory, stopwatch, warn, startAt = null } = options;
  if (replica) return createVirtualClock(below, undefined, stopwatch, startAt);
  const saved = readClock(directory);
  const state = saved?.state;
  // The same command again, such as after a kill: a clock that runs goes on.
  const goesOn = startAt?.isFrozen === false && startAt.atMs === saved?.startedAtMs;
  if (startAt && !goesOn) {
    await demandLater(startAt, store, state, options);
    return createVirtualClock(below, stateAt(startAt, below.nowMs()), stopwatch, startAt);
  }
  const clock = createVirtualClock(below, state, stopwatch, startAt);
  // If the host's clock was set back, payments would stay pending for too long, and their numbers would not rise with time. So the
  // clock starts no earlier than the last payment, and shows the host's time again when that has caught up.
  const startedMs = Math.min((await store.transactions.lastStartMs()) ?? 0, LAST_INSTANT_MS);
  const behindMs = startedMs - clock.nowMs();
  if (behindMs <= 0) return clock;
  if (behindMs > TOLD_MS) warn(behindOf(startedMs));
  if (clock.isFrozen) {
    clock.advance(behindMs);
    return clock;
  }
  const steady = clockBy(steadyTime(below.nowMs, stopwatch, below.nowMs() + behindMs));
  return createVirtualClock(steady, state, stopwatch, startAt);
}

/** Host clocks differ by less. */
const TOLD_MS = 60_000;

const behindOf = (startedMs: number): string =>
  `momo: this machine's clock is before ${formatTimestamp(startedMs)}, when the last payment started, so the sandbox's clock goes on ` +
  "from there. Correct the machine's clock; if the payment's time is wrong, run momo reset and start again";

/** @throws Failure if a data directory with payments has reached a later time */
async function demandLater(
  { atMs }: Start,
  { transactions }: Store,
  state: ClockState | undefined,
  { optionName }: ClockOptions,
): Promise<void> {
  const [startedMs, [paid]] = [await transactions.lastStartMs(), await transactions.listPaid(1)];
  if (startedMs === null) return;
  const reachedMs = Math.max(
    startedMs,
    paid?.completedAtMs ?? 0,
    state && "frozenAtMs" in state ? state.frozenAtMs : 0,
  );
  if (atMs >= reachedMs) return;
  throw new Failure(
    "usage",
    `${optionName("--clock")} is ${formatTimestamp(atMs)}, and the payments of the data directory have reached ${formatTimestamp(reachedMs)}`,
    "give a later time, or another data directory with --data or --ephemeral",
  );
}

/** Stores the time of the start, for doctor and the next start. Of servers that share a database, the first sets the clock. */
export async function keepStart(
  start: Start,
  options: ClockOptions,
  engine: Engine,
  clock: VirtualClock,
): Promise<void> {
  if (!engine.replica) {
    saveClock(options, engine, clock);
    return;
  }
  const isFirst = await engine.steering.change(() => {
    const state = clock.save();
    const isNew = "aheadMs" in state && state.aheadMs === 0;
    if (isNew) clock.show(start.atMs, start.isFrozen);
    return isNew;
  });
  if (isFirst || (start.isFrozen && clock.isFrozen && clock.nowMs() === start.atMs)) return;
  options.warn(
    `momo: ${options.optionName("--clock")} is not used: the servers on this database have set their clock, which shows ${formatTimestamp(clock.nowMs())}`,
  );
}

/** Servers that share a database share the clock, too: it is not in the data directory of one of them. */
export function saveClock(options: ClockOptions, { replica, store }: Engine, clock: VirtualClock): void {
  const { directory, reportFault, startAt } = options;
  try {
    const startedAtMs = startAt?.isFrozen === false ? startAt.atMs : undefined;
    // The folder can be another server's by now.
    if (!replica && store.vitals.findMissing() === null) writeClock(directory, { state: clock.save(), startedAtMs });
  } catch (error) {
    reportFault(error); // the clock has moved already
  }
}
