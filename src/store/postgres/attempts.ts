import { type Clock, pause } from "../../domain/clock.ts";
import type { Meter } from "../vitals.ts";
import type { Connection, Connections } from "./connections.ts";
import { isSilence, OutcomeUnknown, sqlStateOf, verdictOf } from "./failures.ts";
import type { EngineSql } from "./options.ts";

/** Runs statements, and retries them until their deadline. */
export interface Attempts extends EngineSql {
  /**
   * Runs work that writes nothing.
   * @param isLong whether one attempt may use the whole deadline
   */
  reading<T>(work: (connection: Connection) => Promise<T>, isLong?: boolean): Promise<T>;
  /**
   * Runs work that writes. It can run twice.
   * @param work gets whether an earlier attempt may have been committed
   * @throws OutcomeUnknown if that is still unknown at the deadline
   */
  writing<T>(work: (connection: Connection, mayBeWritten: boolean) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Whether the last attempt got no answer. Then one statement at a time is enough to see when the server is back. */
  readonly isStuck: boolean;
}

export interface WriteOptions {
  /** Whether `work` begins a transaction: its connection is closed if it fails. */
  readonly inTransaction?: boolean;
  /** Whether an attempt before this call may have been committed. */
  readonly mayBeWritten?: boolean;
}

export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

interface Parts {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly stopwatch: () => number;
  readonly meter: Meter;
  readonly deadlineMs: number;
  /** Called when the engine answers again. */
  readonly onRecovered: () => void;
}

/** The deadline is divided by this for one attempt: after a fail-over, a frozen server must not use up the whole deadline. */
const ATTEMPTS = 4;

/** Pauses between attempts: they double. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

export function createAttempts(parts: Parts): Attempts {
  const { connections, clock, stopwatch, meter, deadlineMs, onRecovered } = parts;
  let isStuck = false;

  function answered(): void {
    if (isStuck) onRecovered();
    isStuck = false;
  }

  async function run<T>(
    work: (connection: Connection, mayBeWritten: boolean) => Promise<T>,
    writes: boolean,
    { inTransaction = false, mayBeWritten = false }: WriteOptions = {},
    isLong = false,
  ): Promise<T> {
    const endMs = stopwatch() + deadlineMs;
    let isUnknown = mayBeWritten;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const leftMs = Math.max(endMs - stopwatch(), 1);
      const mostMs = isLong ? leftMs : Math.min(leftMs, deadlineMs / ATTEMPTS);
      try {
        const result = await connections.use(mostMs, (connection) => work(connection, isUnknown), inTransaction);
        answered();
        return result;
      } catch (error) {
        const verdict = verdictOf(error);
        if (isSilence(error)) isStuck = true;
        else answered(); // a refusal is an answer, too
        if (writes && verdict === "unknown") {
          isUnknown = true;
          meter.unknownOutcomes += 1;
        }
        if (verdict === "final") throw error;
        if (stopwatch() + pauseMs >= endMs) {
          if (!isUnknown) throw error;
          meter.leftUnknown += 1;
          throw new OutcomeUnknown(error);
        }
        meter.retried(sqlStateOf(error));
        if (!connections.isClosed) await pause(clock, pauseMs); // else the next attempt fails, and no alarm may be left
      }
    }
  }

  const attempts: Attempts = {
    read: (text, parameters) => attempts.reading(({ query }) => query(text, parameters)),
    write: (text, parameters) => attempts.writing(({ query }) => query(text, parameters)),
    transaction: (work) =>
      attempts.writing(
        async ({ query, script }, mayBeWritten) => {
          await script(BEGIN);
          const done = await work(query, mayBeWritten);
          await script("COMMIT");
          return done;
        },
        { inTransaction: true },
      ),
    reading: (work, isLong) => run(work, false, {}, isLong),
    writing: (work, options) => run(work, true, options),
    get isStuck() {
      return isStuck;
    },
  };
  return attempts;
}
