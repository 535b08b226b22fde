import { SQL } from "bun";
import { atMost, type Clock } from "../../domain/clock.ts";
import type { Query } from "../query.ts";
import type { Address } from "./address.ts";
import { NoAnswer, needsNewConnection, StoreClosed } from "./failures.ts";

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
}

/** How long to wait for the driver after a close: it may never answer. */
const CLOSE_MS = 500;

/** Runs work on a bounded number of connections. Each has one user at a time, and is opened when it is first needed. */
export class Connections {
  readonly #login: Address["login"];
  readonly #most: number;
  readonly #clock: Clock;
  readonly #idle: Link[] = [];
  readonly #waiting: PromiseWithResolvers<Link>[] = [];
  readonly #inUse = new Set<Link>();
  #isClosed = false;

  constructor({ login }: Address, most: number, clock: Clock) {
    this.#login = login;
    this.#most = most;
    this.#clock = clock;
  }

  get busy(): number {
    return this.#inUse.size;
  }

  /** Whether `close()` was called: then every use fails. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Runs `work` on its own connection. If it fails or takes too long, the connection is closed, with its transaction. The statement
   * is never cancelled: if a commit waits for a standby, PostgreSQL answers its cancellation as a success.
   */
  async use<T>({ openMs, workMs }: UseLimits, work: (connection: Connection) => Promise<T>): Promise<T> {
    const link = await this.#open(openMs);
    return this.#guard(link, within(this.#clock, workMs, work(link))).finally(() => this.#release(link));
  }

  /** A connection until the caller ends it. Each statement may take `workMs`. */
  async borrow({ openMs, workMs }: UseLimits): Promise<Connection> {
    const link = await this.#open(openMs);
    const end = () => {
      link.end();
      this.#release(link);
    };
    return {
      query: (text, parameters) => within(this.#clock, workMs, link.query(text, parameters)),
      script: (text) => within(this.#clock, workMs, link.script(text)),
      end,
    };
  }

  /** Ends all connections, and rejects statements that still run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const turn of this.#waiting.splice(0)) turn.reject(new StoreClosed());
    const ends = [...this.#idle.splice(0), ...this.#inUse].map((link) => link.close());
    await atMost(this.#clock, CLOSE_MS, Promise.all(ends));
  }

  async #open(mostMs: number): Promise<Link> {
    const link = await this.#acquire(mostMs);
    try {
      await this.#guard(link, within(this.#clock, mostMs, link.opened));
      return link;
    } catch (error) {
      this.#release(link);
      throw error;
    }
  }

  async #acquire(mostMs: number): Promise<Link> {
    if (this.#isClosed) throw new StoreClosed();
    if (this.#inUse.size < this.#most && this.#waiting.length === 0) return this.#take();
    const turn = Promise.withResolvers<Link>();
    this.#waiting.push(turn);
    const cancel = this.#clock.alarm(this.#clock.nowMs() + mostMs, () => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      turn.reject(new NoAnswer("deadline"));
    });
    return turn.promise.finally(cancel);
  }

  #take(): Link {
    let link = this.#idle.pop();
    while (link?.isEnded) link = this.#idle.pop();
    link ??= new Link(this.#login);
    this.#inUse.add(link);
    return link;
  }

  #release(link: Link): void {
    this.#inUse.delete(link);
    if (this.#isClosed || link.isOutdated) link.end();
    if (!link.isEnded) this.#idle.push(link);
    if (!this.#isClosed && this.#inUse.size < this.#most) this.#waiting.shift()?.resolve(this.#take());
  }

  /** Ends a connection whose work has failed, and those to a server that may have been replaced. */
  async #guard<T>(link: Link, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      link.end();
      if (needsNewConnection(error)) {
        for (const idle of this.#idle.splice(0)) idle.end();
        for (const inUse of this.#inUse) inUse.isOutdated = true;
      }
      throw error;
    }
  }
}

/** @throws NoAnswer if `work` takes longer; it goes on, and nobody gets its result */
async function within<T>(clock: Clock, durationMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.alarm(clock.nowMs() + durationMs, () => late.reject(new NoAnswer("deadline")));
  return Promise.race([work, late.promise]).finally(cancel);
}

/** Exactly one connection. The driver would reconnect by default, and then answer the COMMIT of a lost transaction as done. */
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
    if (this.isEnded) throw new NoAnswer("connection");
    return this.#sql.unsafe(text, [...parameters]);
  };

  script = async <Row>(text: string): Promise<Row[]> => {
    if (this.isEnded) throw new NoAnswer("connection");
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
