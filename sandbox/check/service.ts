import type { Clock } from "../../src/domain/clock.ts";
import { inQuotes } from "../curl.ts";
import { type Json, objectIn } from "./bounded.ts";
import type { Lack, Stop } from "./fact.ts";
import type { Evidence } from "./result.ts";
import { isSecretName, Secrets } from "./secrets.ts";

/** The service that is checked: each request is sent once, and its answer is kept with what a report may show of it. */

/** A request to one of the three operations, below the base address. */
export interface Ask {
  readonly method?: "GET" | "POST";
  /** With the query. */
  readonly path: string;
  readonly json?: unknown;
  /** A body that is no JSON. */
  readonly body?: string;
  /** Whose credentials: the owner's, a key that nobody has, or none. */
  readonly as?: "owner" | "stranger" | "nobody";
}

export interface Sent {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly as: NonNullable<Ask["as"]>;
}

export interface Received {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

/**
 * Sends a request, with the credentials that `as` names, and follows no redirect. It bounds the time and the size of the answer.
 * @throws an error that says why no answer came
 */
export type Send = (request: Sent) => Promise<Received>;

export interface Exchange extends Omit<Received, "text"> {
  readonly sent: Sent;
  /** When the answer was there, by this host's clock. */
  readonly atMs: number;
  /** The body, where it is a JSON object. */
  readonly json: Json | null;
  /** As it came: a report hides what is secret. */
  readonly evidence: Evidence;
}

/** There is nothing to check with. */
export class Skip extends Error {
  constructor(readonly fact: Lack | Stop) {
    super(fact.kind);
  }
}

/** Ends a check before its end: the rest is skipped. */
export class Stopped extends Error {
  constructor(readonly fact: Stop) {
    super(fact.kind);
  }
}

export interface ServiceOptions {
  /** For the commands that a report shows. */
  readonly baseUrl: string;
  /** The credentials, which no report shows. */
  readonly credentials: readonly string[];
  readonly send: Send;
  readonly clock: Clock;
  readonly stopwatch: () => number;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** The most requests, and the pause between two of them. */
  readonly budget: number;
  readonly pauseMs: number;
  /** Whether a second answer with 500 or above ends the check. */
  readonly isCareful: boolean;
  /** Ends the check after the request under way. */
  readonly signal?: AbortSignal;
}

/** Bounds of all answers in sum, besides those of one that {@link Send} has. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const MOST_WAITED_MS = 5 * 60_000;

/** How much of an answer is kept as evidence. A report shows the beginning of it. */
const KEPT = 2000;

export class Service {
  readonly options: ServiceOptions;
  readonly exchanges: Exchange[] = [];
  readonly #answers = new Map<string, Promise<Exchange>>();
  /** What no report shows. */
  readonly secrets: Secrets;
  /** How many were sent. */
  requests = 0;
  #broken = 0;
  #characters = 0;
  #waitedMs = 0;

  constructor(options: ServiceOptions) {
    this.options = options;
    this.secrets = new Secrets(options.credentials);
  }

  /** The answer to a request: the one that is known, if the same was sent before. @throws Stopped */
  ask(ask: Ask): Promise<Exchange> {
    const key = JSON.stringify(ask);
    const known = this.#answers.get(key) ?? this.again(ask);
    this.#answers.set(key, known);
    return known;
  }

  /** Sends a request also if it was sent before: a poll. */
  async again({ method, path, json, body, as = "owner" }: Ask): Promise<Exchange> {
    const { baseUrl, send, clock, stopwatch, sleep, budget, pauseMs, isCareful, signal } = this.options;
    if (this.requests >= budget) throw new Stopped({ kind: "budget_spent", budget });
    if (this.requests > 0 && pauseMs > 0) await sleep(pauseMs);
    if (signal?.aborted) throw new Stopped({ kind: "interrupted" });
    this.requests += 1;
    const content = json === undefined ? (body ?? null) : JSON.stringify(json);
    const sent: Sent = {
      method: method ?? (content === null ? "GET" : "POST"),
      path,
      body: content,
      as,
      headers: content === null ? {} : { "Content-Type": "application/json" },
    };
    let received: Received;
    const sentAtMs = stopwatch();
    try {
      received = await send(sent);
    } catch (error) {
      const why: Stop = { kind: "no_answer", request: `${sent.method} ${path}`, reason: (error as Error).message };
      this.#broken += 1;
      // One request that a service cannot answer does not hide the rest.
      if (signal?.aborted) throw new Stopped({ kind: "interrupted" });
      if (this.requests === 1 || this.#broken > 1) throw new Stopped(why);
      throw new Skip(why);
    } finally {
      this.#waitedMs += stopwatch() - sentAtMs;
    }
    const { status, headers, text } = received;
    const answered = objectIn(text);
    this.secrets.learn(answered);
    this.secrets.learnText(text);
    const evidence = { curl: curlOf(baseUrl, sent), status, answer: shownAnswer(answered, text).slice(0, KEPT) };
    const exchange = { sent, status, headers, atMs: clock.nowMs(), json: answered, evidence };
    this.exchanges.push(exchange);
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) throw new Stopped({ kind: "too_large" });
    if (this.#waitedMs > MOST_WAITED_MS) throw new Stopped({ kind: "too_slow" });
    if (this.exchanges.length === 1 && status >= 300 && status < 400) {
      throw new Stopped({ kind: "redirects", to: headers.get("Location") });
    }
    if (this.exchanges.length === 1 && exchange.json === null) {
      throw new Stopped({ kind: "another_api", status, type: headers.get("Content-Type") });
    }
    if (status === 429) throw new Stopped({ kind: "rate_limited" });
    this.#broken += status >= 500 ? 1 : 0;
    if (isCareful && this.#broken > 1) throw new Stopped({ kind: "server_errors", status });
    return exchange;
  }

  /** A service on another machine is polled as §4.4 recommends. */
  get pollPauseMs(): number {
    return this.options.isCareful ? 5000 : 500;
  }

  /** The lists have changed: the next request for one is sent. */
  forgetLists(): void {
    for (const key of this.#answers.keys()) if (key.includes("/transactions.php")) this.#answers.delete(key);
  }
}

/** A JSON object without what is below the name of a secret, and any other body as it came. */
export const shownAnswer = (answered: Json | null, text: string): string =>
  answered === null
    ? text
    : JSON.stringify(answered, (name, value) =>
        isSecretName(name) && typeof value === "object" && value ? "…" : value,
      );

/** The request for a shell, with the credentials from the environment. */
export function curlOf(baseUrl: string, { method, path, headers, body, as }: Sent): string {
  const key = { owner: ["$MOMO_API_KEY", "$MOMO_API_SECRET"], stranger: [STRANGER.key, STRANGER.secret], nobody: [] }[
    as
  ];
  return [
    "curl -s",
    ...(method === (body === null ? "GET" : "POST") ? [] : [`-X ${method}`]),
    inQuotes(baseUrl + path),
    ...key.map((value, turn) => `-H "X-API-${turn === 0 ? "Key" : "Secret"}: ${value}"`),
    ...Object.entries(headers).map(([name, value]) => `-H ${inQuotes(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${inQuotes(body)}`]),
  ].join(" ");
}

/** Credentials that nobody has: one wrong key, always the same. A report shows them, because they have no digit. */
export const STRANGER = { key: "mk_nobodyhasthiskey", secret: "ms_nobodyhasthissecretnobodyhasthis" };

/** An id that was never issued. */
export const UNKNOWN_ID = "ws_CO_01012020000000000_0000000000000000";
