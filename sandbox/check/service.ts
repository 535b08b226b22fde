import type { Evidence } from "./result.ts";

/** The service under test: asks it with care, and keeps what it answered. */

/** A request. Equal requests are sent once. */
export interface Ask {
  readonly method: string;
  /** Below the base address, with the query. */
  readonly path: string;
  /** As JSON. */
  readonly body?: unknown;
  /** Whose credentials; by default the caller's. */
  readonly as?: "caller" | "wrong key" | "nobody";
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Its beginning, if it is too long. */
  readonly text: string;
}

/** A request with its answer. */
export interface Exchange extends Answer {
  readonly ask: Ask;
  /** The body, if it is a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly atMs: number;
}

/** Sends one request. @throws NoAnswer with the reason */
export type Send = (ask: Ask) => Promise<Answer>;

export class NoAnswer extends Error {}

/** Nothing more is sent. Sentences that need more are skipped. */
export class Stopped extends Error {}

/** A sentence has nothing to be checked with. */
export class Skipped extends Error {}

export interface Limits {
  /** How many requests may be sent. */
  readonly requests: number;
  /** The least time between two requests. */
  readonly paceMs: number;
}

export interface ServiceParts extends Limits {
  readonly send: Send;
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly onProgress?: (requests: number) => void;
  /** Whether the caller wants to stop. */
  readonly isInterrupted?: () => boolean;
}

const MOST_SERVER_ERRORS = 2;

export class Service {
  readonly exchanges: Exchange[] = [];
  /** Why nothing more is sent. */
  stopped: string | null = null;
  readonly #parts: ServiceParts;
  readonly #known = new Map<string, Promise<Exchange>>();
  #sent = 0;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  get requests(): number {
    return this.#sent;
  }

  pause(ms: number): Promise<void> {
    return this.#parts.pause(ms);
  }

  /** The answer to a request, which is sent once. */
  ask(ask: Ask): Promise<Exchange> {
    const key = JSON.stringify(ask);
    const known = this.#known.get(key) ?? this.askAnew(ask);
    this.#known.set(key, known);
    return known;
  }

  async askAnew(ask: Ask): Promise<Exchange> {
    const { send, nowMs, pause, requests, paceMs, onProgress, isInterrupted } = this.#parts;
    if (isInterrupted?.()) this.stopped ??= "it was interrupted";
    if (this.#sent >= requests) this.stopped ??= `the budget of ${requests} requests is used up`;
    if (this.stopped !== null) throw new Stopped(this.stopped);
    if (this.#sent > 0 && paceMs > 0) await pause(paceMs);
    this.#sent += 1;
    onProgress?.(this.#sent);
    const answer = await send(ask).catch((error: unknown) => {
      if (error instanceof NoAnswer) this.stopped = `${ask.method} ${ask.path}: ${error.message}`;
      throw error instanceof NoAnswer ? new Stopped(error.message) : error;
    });
    const exchange = { ask, ...answer, body: objectIn(answer.text), atMs: nowMs() };
    this.exchanges.push(exchange);
    this.#stopAt(exchange);
    return exchange;
  }

  #stopAt({ status, headers }: Exchange): void {
    const errors = this.exchanges.filter((one) => one.status >= 500).length;
    if (status === 429) this.stopped = "the service answers 429, too many requests";
    else if (errors >= MOST_SERVER_ERRORS) this.stopped = `the service answered ${errors} requests with 5xx`;
    else if (status >= 300 && status < 400) {
      this.stopped = `the service redirects to ${headers.get("Location") ?? "nowhere"}: give that address with --target`;
    }
  }

  list(query = ""): Promise<Exchange> {
    return this.ask({ method: "GET", path: `/transactions.php${query && `?${query}`}` });
  }

  status(body: unknown): Promise<Exchange> {
    return this.ask({ method: "POST", path: "/status.php", body });
  }

  /** A list that must succeed, and its rows. @throws Skipped */
  async rows(query = ""): Promise<{ at: Exchange; rows: readonly Members[] }> {
    const at = await this.list(query);
    if (at.status !== 200) throw new Skipped(`GET ${at.ask.path} answers ${at.status}`);
    return { at, rows: rowsOf(at) };
  }

  /** The answers with 200 to requests of the caller below a path. */
  answersAt(path: string): Exchange[] {
    return this.exchanges.filter(
      ({ ask, status, body }) => status === 200 && body && ask.path.split("?")[0] === path && !ask.as,
    );
  }
}

export type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectIn(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A member that is an object; without members if it is none. */
export function objectAt(body: Members | null, name: string): Members {
  const value = body?.[name];
  return isObject(value) ? value : {};
}

/** The name of the list's array; null if it has none. */
export const arrayName = (body: Members | null): "transactions" | "data" | null =>
  (["transactions", "data"] as const).find((name) => Array.isArray(body?.[name])) ?? null;

export function rowsOf({ body }: Exchange): readonly Members[] {
  const rows: unknown = body?.[arrayName(body) ?? "transactions"];
  return Array.isArray(rows) ? rows.filter(isObject) : [];
}

/** The request as a line for a shell; it has no credentials. */
export function curlOf({ method, path, body, as = "caller" }: Ask, target: string): string {
  const key = as === "wrong key" ? "wrong" : "$MOMO_API_KEY";
  const headers = as === "nobody" ? [] : [`-H "X-API-Key: ${key}"`, '-H "X-API-Secret: $MOMO_API_SECRET"'];
  const data = body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`];
  return ["curl -s", ...(method === "GET" ? [] : [`-X ${method}`]), quoted(target + path), ...headers, ...data].join(
    " ",
  );
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** How much of an answer a report shows. */
const MOST_SHOWN = 1500;

export const evidenceOf = ({ ask, status, text }: Exchange, target: string): Evidence => ({
  curl: curlOf(ask, target),
  status,
  answer: text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text,
});
