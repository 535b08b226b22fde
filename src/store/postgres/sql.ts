import { type Clock, pause } from "../../domain/clock.ts";
import type { Query, Sql } from "../query.ts";
import { OutcomeUnknown, Unanswered } from "../store.ts";
import type { Meter } from "../vitals.ts";
import type { Connection, Connections, Script } from "./connections.ts";
import { StoreClosed, sqlStateOf, verdictOf } from "./failures.ts";

/**
 * Runs statements, and tries them again until the commit deadline where nothing of them is stored. `read`, `write` and `transaction`
 * also run again if an answer is lost, and do not wait long for one.
 * @throws Unanswered at the deadline; OutcomeUnknown from all that write: the work may be stored
 */
export interface EngineSql extends Sql {
  /**
   * Several statements that need no commit.
   * @param isLong whether one attempt may use the whole deadline
   */
  reading<T>(work: (connection: Connection) => Promise<T>, isLong?: boolean): Promise<T>;
  /** Several statements in one READ COMMITTED transaction. */
  transaction<T>(work: InTransaction<T>): Promise<T>;
  /** The same, but it is never committed twice. */
  transactionOnce<T>(work: InTransaction<T>): Promise<T>;
}

export type InTransaction<T> = (query: Query, script: Script) => Promise<T>;

interface Parts {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly stopwatch: () => number;
  readonly meter: Meter;
  readonly deadlineMs: number;
  /** Called when the engine answers again. */
  readonly onRecovered: () => void;
}

type Work<T> = (connection: Connection, sending: () => void) => Promise<T>;

interface RunOptions {
  /** Whether the work must not run again after a statement that may be committed. */
  readonly isOnce?: boolean;
  /** Whether one attempt may use the whole deadline. */
  readonly isLong?: boolean;
}

export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** The deadline is divided by this for one attempt: after a fail-over, a frozen server must not use up the whole deadline. */
const ATTEMPTS = 4;

/** Pauses between attempts: they double. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

export function createSql({ connections, clock, stopwatch, meter, deadlineMs, onRecovered }: Parts): EngineSql {
  let isSilent = false;

  function noteSilence(silent: boolean): void {
    if (isSilent && !silent) onRecovered();
    isSilent = silent;
  }

  /** @param work calls `sending` before the statement that commits */
  async function run<T>(work: Work<T>, { isOnce = false, isLong = isOnce }: RunOptions = {}): Promise<T> {
    const endMs = stopwatch() + deadlineMs;
    let mayBeStored = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const leftMs = Math.max(endMs - stopwatch(), 1);
      const openMs = Math.min(leftMs, deadlineMs / ATTEMPTS);
      let isSent = false;
      const sending = () => {
        isSent = true;
      };
      try {
        const limits = { openMs, workMs: isLong ? leftMs : openMs };
        const result = await connections.use(limits, (one) => work(one, sending));
        noteSilence(false);
        return result;
      } catch (error) {
        const verdict = verdictOf(error);
        noteSilence(verdict === "silent"); // a refusal is an answer, too
        if (verdict === "silent" && isSent) {
          mayBeStored = true;
          meter.unknownOutcomes += 1;
        }
        const { isClosed } = connections;
        if (verdict === "final" && !isClosed) throw error;
        const isOver = isClosed || stopwatch() + pauseMs >= endMs;
        if (mayBeStored && (isOnce || isOver)) throw new OutcomeUnknown(error);
        if (isOver) throw isClosed ? new StoreClosed() : new Unanswered(error);
        meter.retried(sqlStateOf(error));
        await pause(clock, pauseMs);
      }
    }
  }

  return {
    read: (text, parameters) => run(({ query }) => query(text, parameters)),
    write: <Row>(text: string, parameters?: readonly unknown[]) => run(statement<Row>(text, parameters)),
    writeOnce: <Row>(text: string, parameters?: readonly unknown[]) =>
      run(statement<Row>(text, parameters), { isOnce: true }),
    reading: (work, isLong = false) => run(work, { isLong }),
    transaction: (work) => run(transaction(work)),
    transactionOnce: (work) => run(transaction(work), { isOnce: true }),
  };
}

const statement =
  <Row>(text: string, parameters?: readonly unknown[]): Work<Row[]> =>
  ({ query }, sending) => {
    sending();
    return query<Row>(text, parameters);
  };

const transaction =
  <T>(work: InTransaction<T>): Work<T> =>
  async ({ query, script }, sending) => {
    await script(BEGIN);
    const done = await work(query, script);
    sending();
    await script("COMMIT");
    return done;
  };
