import type { Clock } from "../../src/domain/clock.ts";
import { invalid } from "../../src/domain/error.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";

/** The state of a virtual clock: frozen at an instant, or ahead of the clock below it. */
export type ClockState = { readonly frozenAtMs: number } | { readonly aheadMs: number };

/** The last instant with a four-digit year in Nairobi, less one day for deadlines. */
export const LAST_INSTANT_MS = Date.UTC(9999, 11, 30);

/** An instant, and whether a clock stays there. */
export interface Start {
  readonly atMs: number;
  readonly isFrozen: boolean;
}

export const stateAt = ({ atMs, isFrozen }: Start, realMs: number): ClockState =>
  isFrozen ? { frozenAtMs: atMs } : { aheadMs: atMs - realMs };

interface Alarm {
  readonly atMs: number;
  readonly ring: () => void;
  /** Cancels the real alarm behind it. */
  disarm: () => void;
  /** Whether the real alarm rings soon. */
  isDue: boolean;
}

/** How many moves are remembered. */
const MAX_MOVES = 1000;

/** The last moves of a clock, without those that a move back has undone. */
function createMoves() {
  let movedMs = 0;
  let moves: { readonly fromMs: number; readonly toMs: number }[] = [];
  return {
    add(fromMs: number, toMs: number): void {
      movedMs += toMs - fromMs;
      moves = [...moves.filter((move) => move.toMs <= toMs), { fromMs, toMs }].slice(-MAX_MOVES);
    },
    shown: {
      movedMs: () => movedMs,
      movedPastMs: (atMs: number) =>
        moves.reduce((sum, { fromMs, toMs }) => sum + Math.max(toMs - Math.max(fromMs, atMs), 0), 0),
    },
  };
}

export interface VirtualClock {
  /** By how much it was moved in all. */
  readonly movedMs: () => number;
  /** How much of the time after an instant was passed by moves. */
  readonly movedPastMs: (atMs: number) => number;
  readonly nowMs: () => number;
  alarm(atMs: number, ring: () => void): () => void;
  readonly isFrozen: boolean;
  /** Stops at the present instant. */
  readonly freeze: () => void;
  /** Continues from the instant that it shows. */
  readonly resume: () => void;
  /** Moves forward, frozen or not. */
  readonly advance: (durationMs: number) => void;
  /** Shows the time of the start again. */
  readonly reset: () => void;
  /** Shows this instant, and continues from it or stays there. */
  readonly show: (atMs: number, isFrozen: boolean) => void;
  /** Its state, for the next start. */
  readonly save: () => ClockState;
  readonly load: (next: ClockState) => void;
  /** How long it has run by itself: without the time while it was frozen, without moves, and without jumps of the clock below it. */
  readonly ranMs: () => number;
}

/**
 * A clock that can be stopped and moved. By default it shows the time of the clock below it.
 * @param stopwatch in milliseconds; by default the clock below it, which can jump
 * @param home where a reset takes it; by default to the time of the clock below it
 */
export function createVirtualClock(
  real: Clock,
  start: ClockState = { aheadMs: 0 },
  stopwatch = real.nowMs,
  home: Start | null = null,
): VirtualClock {
  const alarms = new Set<Alarm>();
  const moves = createMoves();

  const instantOf = (at: ClockState) => ("frozenAtMs" in at ? at.frozenAtMs : real.nowMs() + at.aheadMs);
  const nowMs = () => instantOf(state);
  let [state, ranBeforeMs, runsSinceMs] = [start, 0, stopwatch()];
  const ranMs = () => ranBeforeMs + ("frozenAtMs" in state ? 0 : stopwatch() - runsSinceMs);

  function arm(alarm: Alarm): void {
    const waitMs = alarm.atMs - nowMs();
    // Keep a due alarm: if each move of the clock replaced it, it would never ring.
    if (waitMs <= 0 && alarm.isDue) return;
    alarm.disarm();
    alarm.isDue = waitMs <= 0;
    // While the clock is frozen, a future alarm does not become due.
    if (waitMs > 0 && "frozenAtMs" in state) return;
    alarm.disarm = real.alarm(real.nowMs() + Math.max(waitMs, 0), () => {
      alarms.delete(alarm);
      alarm.ring();
    });
  }

  /** @throws Refusal `invalid` beyond the year 9999. Alarms that become due ring soon. */
  function moveTo(next: ClockState): void {
    if (instantOf(next) > LAST_INSTANT_MS)
      throw invalid(`the clock moves to ${formatTimestamp(LAST_INSTANT_MS)} in Nairobi at most`);
    ranBeforeMs = ranMs();
    runsSinceMs = stopwatch();
    moves.add(nowMs(), instantOf(next));
    state = next;
    for (const alarm of [...alarms].sort((a, b) => a.atMs - b.atMs)) arm(alarm);
  }

  return {
    nowMs,
    alarm(atMs: number, ring: () => void): () => void {
      const alarm: Alarm = { atMs, ring, disarm: () => {}, isDue: false };
      alarms.add(alarm);
      arm(alarm);
      return () => {
        alarm.disarm();
        alarms.delete(alarm);
      };
    },
    get isFrozen() {
      return "frozenAtMs" in state;
    },
    freeze: () => moveTo({ frozenAtMs: nowMs() }),
    resume: () => moveTo({ aheadMs: nowMs() - real.nowMs() }),
    advance: (durationMs: number) =>
      moveTo(
        "frozenAtMs" in state ? { frozenAtMs: state.frozenAtMs + durationMs } : { aheadMs: state.aheadMs + durationMs },
      ),
    reset: () => moveTo(home ? stateAt(home, real.nowMs()) : { aheadMs: 0 }),
    show: (atMs: number, isFrozen: boolean) => moveTo(stateAt({ atMs, isFrozen }, real.nowMs())),
    save: () => state,
    load: moveTo,
    ranMs,
    ...moves.shown,
  };
}
