import type { ManualClock } from "../support/manual-clock.ts";
import type { Draws } from "./draws.ts";

/** The machine of the client: its clock jumps, it sleeps, and its disk is full. The sandbox's clock jumps, too. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const JUMPS_MS = [11 * MINUTE, 48 * HOUR, -HOUR, -48 * HOUR];
const SANDBOX_JUMPS = ["90s", "11m", "48h"];
const NAPS_MS = [30 * SECOND, 10 * MINUTE, 3 * HOUR];
/** How soon a process notices that its machine is awake. */
const NOTICES_MS = 10 * SECOND;
const FULL_MS = [5 * SECOND, MINUTE];
const MAX_TROUBLES = 5;
/** When trouble comes. */
const SPAN_MS = 100 * SECOND;

const ASKED_AGAIN = ["ignores_final", "polls_after_completed"];

type Control = (method: string, path: string, json?: object) => Promise<unknown>;

export function createMachine(realClock: ManualClock, draws: Draws, control: Control) {
  let aheadMs = 0;
  let asleepUntilMs = 0;
  let fullUntilMs = 0;
  let asksAgain = false;

  const soon = (ms: number, happen: () => void) => void realClock.alarm(realClock.nowMs() + ms, happen);

  /** Nothing of a process happens while its machine sleeps, and it can be woken before its time. */
  function whenAwake(happen: () => void): void {
    const leftMs = asleepUntilMs - realClock.nowMs();
    if (leftMs > 0) soon(Math.min(leftMs, NOTICES_MS), () => whenAwake(happen));
    else happen();
  }

  const troubles = [
    () => {
      aheadMs += draws.pick(JUMPS_MS);
    },
    () => void control("POST", "/clock", { advance: draws.pick(SANDBOX_JUMPS) }),
    () => {
      void control("POST", "/clock", { freeze: true });
      soon(20 * SECOND, () => void control("POST", "/clock", { resume: true }));
    },
    () => {
      asleepUntilMs = realClock.nowMs() + draws.pick(NAPS_MS);
      asksAgain = true;
    },
    () => {
      fullUntilMs = realClock.nowMs() + draws.pick(FULL_MS);
      asksAgain = true;
    },
  ];

  return {
    nowMs: () => realClock.nowMs() + aheadMs,
    isDiskFull: () => realClock.nowMs() < fullUntilMs,
    after: (ms: number, happen: () => void) => soon(ms, () => whenAwake(happen)),
    /** Resolves when the machine does not sleep. */
    awake: () =>
      new Promise<void>((resolve) => {
        whenAwake(resolve);
      }),
    /** The client may ask again after a final answer, which it has not got. */
    askAgain(): void {
      asksAgain = true;
    },
    /** Whether a finding is right: an answer that a full disk, a sleep or a crash has lost is asked for again. */
    explains: (finding: string) => asksAgain && ASKED_AGAIN.includes(finding),
    /** Draws what goes wrong. */
    plan(): void {
      if (draws.below(2) === 0) return;
      for (let left = draws.below(MAX_TROUBLES); left >= 0; left -= 1) soon(draws.below(SPAN_MS), draws.pick(troubles));
    },
    /** Ends what goes wrong. */
    async mend(): Promise<void> {
      asleepUntilMs = 0;
      fullUntilMs = 0;
      await control("POST", "/clock", { resume: true });
    },
  };
}
