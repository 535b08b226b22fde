import { type Clock, pause } from "../../domain/clock.ts";
import type { Query, Sql } from "../query.ts";
import { OutcomeUnknown } from "../store.ts";
import type { Meter } from "../vitals.ts";
import type { Connection, Connections, Script } from "./connections.ts";
import { StoreClosed, sqlStateOf, verdictOf } from "./failures.ts";

/**
 * Runs statements, and tries them again until the commit deadline where nothing of them is stored. A read does not wait long for an
 * answer, because it can be sent again. What writes waits until the deadline, because it is never sent twice.
 * @throws OutcomeUnknown from all that write: the work may be stored
 */
export interface EngineSql extends Sql {
  /**
   * Several statements that need no commit.
   * @param isLong whether one attempt may use the whole deadline
   */
  reading<T>(work: (connection: Connection) => Promise<T>, isLong?: boolean): Promise<T>;
  /** Several statements in one READ COMMITTED transaction. They can run again if the transaction was not committed. */
  transaction<T>(work: (query: Query, script: Script) => Promise<T>): Promise<T>;
}

interface Parts {
  readonly connections: Pick<Connections, "use" | "isClosed">;
  readonly clock: Clock;
  readonly stopwatch: () => number;
  readonly meter: Meter;
  readonly deadlineMs: number;
}

export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** The deadline is divided by this for one attempt: after a fail-over, a frozen server must not use up the whole deadline. */
const ATTEMPTS = 4;

const PAUSE_MS = 100;

export function createSql({ connections, clock, stopwatch, meter, deadlineMs }: Parts): EngineSql {
  /** @param work calls `sending` before the statement that commits */
  async function run<T>(work: (one: Connection, sending: () => void) => Promise<T>, isLong: boolean): Promise<T> {
    const endMs = stopwatch() + deadlineMs;
    for (;;) {
      const leftMs = Math.max(endMs - stopwatch(), 1);
      const openMs = Math.min(leftMs, deadlineMs / ATTEMPTS);
      let isSent = false;
      const sending = () => {
        isSent = true;
      };
      try {
        return await connections.use({ openMs, workMs: isLong ? leftMs : openMs }, (one) => work(one, sending));
      } catch (error) {
        const verdict = verdictOf(error);
        if (isSent && verdict === "silent") {
          meter.unknownOutcomes += 1;
          throw new OutcomeUnknown(error);
        }
        if (connections.isClosed) throw new StoreClosed();
        if (verdict === "final" || stopwatch() + PAUSE_MS >= endMs) throw error;
        meter.retried(sqlStateOf(error));
        await pause(clock, PAUSE_MS);
      }
    }
  }

  return {
    read: (text, parameters) => run(({ query }) => query(text, parameters), false),
    write: (text, parameters) =>
      run(({ query }, sending) => {
        sending();
        return query(text, parameters);
      }, true),
    reading: (work, isLong = false) => run(work, isLong),
    transaction: (work) =>
      run(async ({ query, script }, sending) => {
        await script(BEGIN);
        const done = await work(query, script);
        sending();
        await script("COMMIT");
        return done;
      }, true),
  };
}

/** Does work again, once, if the answer to its COMMIT was lost. The work must find what it has stored. */
export async function repeatIfUnknown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutcomeUnknown) return work();
    throw error;
  }
}
