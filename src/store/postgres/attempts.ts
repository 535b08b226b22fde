import type { Clock } from "../../domain/clock.ts";
import type { Connection, Connections } from "./connections.ts";
import { isSilence, messageOf, OutcomeUnknown, stateOf, verdictOf } from "./failures.ts";
import type { Meter } from "./meter.ts";

/** Sends statements until one is answered or their deadline comes. */
export interface Attempts {
  /**
   * Something that writes nothing.
   * @param isLong whether one attempt can take as long as all
   */
  read<T>(work: (connection: Connection) => Promise<T>, isLong?: boolean): Promise<T>;
  /**
   * Something that writes. `work` must be able to run twice.
   * @param work told whether an earlier attempt may have been committed
   * @throws OutcomeUnknown if that is still not known at the deadline
   */
  write<T>(work: (connection: Connection, mayBeWritten: boolean) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Whether the last attempt of anybody got no answer. Then one statement at a time is enough to find out. */
  readonly isStuck: boolean;
  /** Why, in one line; null if it is not. */
  readonly problem: string | null;
}

export interface WriteOptions {
  /** Whether `work` begins a transaction: its connection is closed if it fails. */
  readonly inTransaction?: boolean;
  /** Whether an attempt before this call may have been committed. */
  readonly mayBeWritten?: boolean;
}

interface Parts {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly stopwatch: () => number;
  readonly meter: Meter;
  readonly deadlineMs: number;
  /** Called when the engine answers after it did not. */
  readonly onRecovered: () => void;
}

/** One attempt gets this part of the deadline, so that a frozen server is not waited for while another has taken over. */
const ATTEMPTS = 4;

/** Pauses between attempts: they double. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

export function createAttempts(parts: Parts): Attempts {
  const { connections, clock, stopwatch, meter, deadlineMs, onRecovered } = parts;
  let problem: string | null = null;

  function answered(): void {
    if (problem === null) return;
    problem = null;
    onRecovered();
  }

  async function pause(durationMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.alarm(clock.nowMs() + durationMs, resolve);
    await promise;
  }

  /** @param failed told of each failed attempt; throws to give up */
  async function run<T>(
    work: (connection: Connection) => Promise<T>,
    { inTransaction = false, attemptMs = deadlineMs / ATTEMPTS }: { inTransaction?: boolean; attemptMs?: number },
    failed: (error: unknown, isLast: boolean) => void,
  ): Promise<T> {
    const endMs = stopwatch() + deadlineMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const leftMs = Math.max(endMs - stopwatch(), 1);
      try {
        const result = await connections.use(Math.min(leftMs, attemptMs), work, inTransaction);
        answered();
        return result;
      } catch (error) {
        const verdict = verdictOf(error);
        if (isSilence(error)) problem = messageOf(error).split("\n")[0] ?? "";
        else answered(); // even if it is a refusal
        const isLast = verdict === "final" || stopwatch() + pauseMs >= endMs;
        failed(error, isLast);
        if (isLast) throw error;
        meter.retried(stateOf(error));
        await pause(pauseMs);
      }
    }
  }

  return {
    read: (work, isLong = false) => run(work, isLong ? { attemptMs: deadlineMs } : {}, () => {}),
    async write(work, { inTransaction = false, mayBeWritten = false } = {}) {
      let isUnknown = mayBeWritten;
      return run(
        (connection) => work(connection, isUnknown),
        { inTransaction },
        (error, isLast) => {
          if (verdictOf(error) === "unknown") {
            isUnknown = true;
            meter.unknownOutcomes += 1;
          }
          if (!isLast || !isUnknown || verdictOf(error) === "final") return;
          meter.leftUnknown += 1;
          throw new OutcomeUnknown(error);
        },
      );
    },
    get isStuck() {
      return problem !== null;
    },
    get problem() {
      return problem;
    },
  };
}
