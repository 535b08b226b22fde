import { SQL } from "bun";
import { atMost, type Clock } from "../../domain/clock.ts";
import type { Query } from "../query.ts";
import type { Address } from "./address.ts";
import { ConnectionEnded, DeadlinePassed, needsNewConnection, StoreClosed, sqlStateOf } from "./failures.ts";

/** A connection while it is in use. */
export interface Connection {
  readonly query: Query;
  /** Several statements without parameters in one message. @returns the rows of the last one */
  script<Row>(text: string): Promise<Row[]>;
  /** Closes it, with its transaction and the statement under way. */
  end(): void;
}

/** How long to wait for the driver after a close: it may never answer. */
const CLOSE_MS = 500;

export type Connections = ReturnType<typeof createConnections>;

/** A bounded number of connections. Each has one user at a time, and is opened when it is first needed. */
export function createConnections({ login }: Address, most: number, clock: Clock) {
  const idle: Link[] = [];
  const waiting: ((link: Link | null) => void)[] = [];
  const inUse = new Set<Link>();
  let isClosed = false;

  function acquire(): Link | Promise<Link> {
    if (isClosed) throw new StoreClosed();
    if (inUse.size < most && waiting.length === 0) return take();
    const { promise, resolve, reject } = Promise.withResolvers<Link>();
    waiting.push((link) => (link ? resolve(link) : reject(new StoreClosed())));
    return promise;
  }

  function take(): Link {
    let link = idle.pop();
    while (link?.isEnded) link = idle.pop();
    link ??= new Link(login);
    inUse.add(link);
    return link;
  }

  function release(link: Link, isBroken: boolean): void {
    inUse.delete(link);
    if (isBroken || isClosed || link.isEnded || link.isOutdated) link.end();
    else idle.push(link);
    if (!isClosed && inUse.size < most) waiting.shift()?.(take());
  }

  function outdate(): void {
    for (const link of idle.splice(0)) link.end();
    for (const link of inUse) link.isOutdated = true;
  }

  return {
    /**
     * Runs `work` on its own connection. If it takes longer than `mostMs`, the connection is closed. The statement is never
     * cancelled: if a commit waits for a standby, PostgreSQL answers its cancellation as a success.
     * @param inTransaction whether `work` begins a transaction: if it fails, the connection is closed, too
     */
    async use<T>(mostMs: number, work: (connection: Connection) => Promise<T>, inTransaction = false): Promise<T> {
      const link = await acquire();
      let isBroken = inTransaction;
      try {
        const result = await link.run(work, clock, mostMs, outdate);
        isBroken = false;
        return result;
      } catch (error) {
        if (needsNewConnection(error)) outdate();
        throw error;
      } finally {
        release(link, isBroken);
      }
    },
    /** A connection without a deadline, until the caller ends it. */
    async borrow(): Promise<Connection> {
      const link = await acquire();
      return { query: link.query, script: link.script, end: () => release(link, true) };
    },
    get busy() {
      return inUse.size;
    },
    /** Whether `close()` was called: then every use fails. */
    get isClosed() {
      return isClosed;
    },
    /** Ends all connections, and rejects statements that still run. */
    async close(): Promise<void> {
      isClosed = true;
      for (const wake of waiting.splice(0)) wake(null);
      const ends = [...idle.splice(0), ...inUse].map((link) => link.close());
      await atMost(clock, CLOSE_MS, Promise.all(ends));
    },
  };
}

/**
 * Exactly one connection. The driver would reconnect by default, and then answer the COMMIT of a lost transaction as done.
 */
class Link implements Connection {
  readonly #sql: SQL;
  /** Whether the connection has ended. It is never opened again. */
  isEnded = false;
  /** The address may lead to another server now: after its work, the connection is closed. */
  isOutdated = false;

  constructor(login: Address["login"]) {
    const onclose = () => {
      this.isEnded = true;
    };
    this.#sql = new SQL({ ...login, max: 1, prepare: false, connectionTimeout: 30, onclose });
  }

  query: Query = async <Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> => {
    if (this.isEnded) throw new ConnectionEnded();
    return this.#sql.unsafe(text, [...parameters]);
  };

  script = async <Row>(text: string): Promise<Row[]> => {
    if (this.isEnded) throw new ConnectionEnded();
    const results = await this.#sql.unsafe(text).simple();
    // One statement gives its rows, several give a list for each.
    return Array.isArray(results.at(-1)) ? results.at(-1) : results;
  };

  /** @param onLate called at the deadline, which ends the connection */
  async run<T>(
    work: (connection: Connection) => Promise<T>,
    clock: Clock,
    mostMs: number,
    onLate: () => void,
  ): Promise<T> {
    let isLate = false;
    const unanswered = Promise.withResolvers<never>();
    let cancelAlarm = clock.alarm(clock.nowMs() + mostMs, () => {
      isLate = true;
      onLate();
      this.end();
      // The end rejects the statement under way, and `work` knows what that means: its own error counts, if it comes soon.
      cancelAlarm = clock.alarm(clock.nowMs() + CLOSE_MS, () => unanswered.reject(new DeadlinePassed()));
    });
    try {
      return await Promise.race([work(this), unanswered.promise]);
    } catch (error) {
      throw isLate && sqlStateOf(error) === "connection" ? new DeadlinePassed() : error;
    } finally {
      cancelAlarm();
    }
  }

  /** Rejects statements that still run. The driver's own close may never end, so callers need not wait for it. */
  async close(): Promise<void> {
    this.isEnded = true;
    await this.#sql.close({ timeout: 0 }).catch(() => {});
  }

  end = (): void => void this.close();
}
