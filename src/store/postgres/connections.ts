import { SQL } from "bun";
import { atMost, type Clock } from "../../domain/clock.ts";
import type { Query } from "../query.ts";
import type { Address } from "./address.ts";
import { ConnectionEnded, DeadlinePassed, needsNewConnection, StoreClosed } from "./failures.ts";

/** Several statements without parameters in one message. @returns the rows of the last one */
export type Script = <Row>(text: string) => Promise<Row[]>;

/** A connection while it is in use. */
export interface Connection {
  readonly query: Query;
  readonly script: Script;
  /** Closes it, with its transaction and the statement under way. */
  end(): void;
}

export interface UseLimits {
  /** How long to wait for a free connection, and then for the server to accept a new one. */
  readonly openMs: number;
  /** How long the work may take. */
  readonly workMs: number;
  /** Whether the work begins a transaction: if it fails, the connection is closed, too. */
  readonly inTransaction?: boolean;
}

/** How long to wait for the driver after a close: it may never answer. */
const CLOSE_MS = 500;

export interface Connections {
  /**
   * Runs `work` on its own connection. If it takes too long, the connection is closed. The statement is never cancelled: if a
   * commit waits for a standby, PostgreSQL answers its cancellation as a success.
   */
  use<T>(limits: UseLimits, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** A connection until the caller ends it. */
  borrow(openMs: number): Promise<Connection>;
  readonly busy: number;
  /** Whether `close()` was called: then every use fails. */
  readonly isClosed: boolean;
  /** Ends all connections, and rejects statements that still run. */
  close(): Promise<void>;
}

/** Runs work on a bounded number of connections. Each has one user at a time, and is opened when it is first needed. */
export function createConnections({ login }: Address, most: number, clock: Clock): Connections {
  const pool = createPool(login, most, clock);

  async function open(mostMs: number): Promise<Link> {
    const link = await pool.acquire(mostMs);
    try {
      await within(clock, mostMs, link.opened);
      return link;
    } catch (error) {
      link.end();
      if (needsNewConnection(error)) pool.outdate();
      pool.release(link);
      throw error;
    }
  }

  return {
    async use<T>(limits: UseLimits, work: (connection: Connection) => Promise<T>): Promise<T> {
      const { openMs, workMs, inTransaction = false } = limits;
      const link = await open(openMs);
      try {
        return await within(clock, workMs, work(link));
      } catch (error) {
        if (inTransaction || error instanceof DeadlinePassed) link.end();
        if (needsNewConnection(error)) pool.outdate();
        throw error;
      } finally {
        pool.release(link);
      }
    },
    async borrow(openMs: number): Promise<Connection> {
      const link = await open(openMs);
      const end = () => {
        link.end();
        pool.release(link);
      };
      return { query: link.query, script: link.script, end };
    },
    get busy() {
      return pool.busy;
    },
    get isClosed() {
      return pool.isClosed;
    },
    close: pool.close,
  };
}

function createPool(login: Address["login"], most: number, clock: Clock) {
  const idle: Link[] = [];
  const waiting: PromiseWithResolvers<Link>[] = [];
  const inUse = new Set<Link>();
  let isClosed = false;

  async function acquire(mostMs: number): Promise<Link> {
    if (isClosed) throw new StoreClosed();
    if (inUse.size < most && waiting.length === 0) return take();
    const turn = Promise.withResolvers<Link>();
    waiting.push(turn);
    const cancel = clock.alarm(clock.nowMs() + mostMs, () => {
      waiting.splice(waiting.indexOf(turn), 1);
      turn.reject(new DeadlinePassed());
    });
    return turn.promise.finally(cancel);
  }

  function take(): Link {
    let link = idle.pop();
    while (link?.isEnded) link = idle.pop();
    link ??= new Link(login);
    inUse.add(link);
    return link;
  }

  function release(link: Link): void {
    inUse.delete(link);
    if (isClosed || link.isEnded || link.isOutdated) link.end();
    else idle.push(link);
    if (!isClosed && inUse.size < most) waiting.shift()?.resolve(take());
  }

  return {
    acquire,
    release,
    /** The address may lead to another server now. */
    outdate(): void {
      for (const link of idle.splice(0)) link.end();
      for (const link of inUse) link.isOutdated = true;
    },
    get busy() {
      return inUse.size;
    },
    get isClosed() {
      return isClosed;
    },
    async close(): Promise<void> {
      isClosed = true;
      for (const turn of waiting.splice(0)) turn.reject(new StoreClosed());
      const ends = [...idle.splice(0), ...inUse].map((link) => link.close());
      await atMost(clock, CLOSE_MS, Promise.all(ends));
    },
  };
}

/** @throws DeadlinePassed if `work` takes longer; it goes on, and nobody gets its result */
async function within<T>(clock: Clock, durationMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.alarm(clock.nowMs() + durationMs, () => late.reject(new DeadlinePassed()));
  return Promise.race([work, late.promise]).finally(cancel);
}

/**
 * Exactly one connection. The driver would reconnect by default, and then answer the COMMIT of a lost transaction as done.
 */
class Link implements Connection {
  readonly #sql: SQL;
  /** Resolves when the server has accepted it. Until then no statement is sent. */
  readonly opened: Promise<unknown>;
  /** Whether the connection has ended. It is never opened again. */
  isEnded = false;
  /** The address may lead to another server now: after its work, the connection is closed. */
  isOutdated = false;

  constructor(login: Address["login"]) {
    const onclose = () => {
      this.isEnded = true;
    };
    this.#sql = new SQL({ ...login, max: 1, prepare: false, connectionTimeout: 30, onclose });
    this.opened = this.#sql.connect();
    this.opened.catch(() => this.end());
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

  /** Rejects statements that still run. The driver's own close may never end, so callers need not wait for it. */
  async close(): Promise<void> {
    this.isEnded = true;
    await this.#sql.close({ timeout: 0 }).catch(() => {});
  }

  end = (): void => void this.close();
}
