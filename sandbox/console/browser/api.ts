import { signal } from "@preact/signals";
import { createParser } from "eventsource-parser";
import { tabMemory } from "./system.ts";
import type { ApiCall, ConsoleEvent, Issue, Refusal } from "./wire.ts";

/** The control API of the server that served the page. Only this file talks to the server. */

/** The path of the page: it works behind every name, and below a path of a proxy. */
const basePath = (): string => location.pathname.replace(/\/[^/]*$/, "");

export const addressOfCall = (path: string): string => basePath() + path;

/** The control token, if the server requires one. It is in no address, and is removed when the tab is closed. */
export const token = signal<string | null>(tabMemory.read("token"));
export const tokenAsked = signal<{ readonly isWrong: boolean } | null>(null);

/** A refusal of the control API. Its message says how to correct the request. */
export class Refused extends Error implements Refusal {
  /** @param status null: the server did not answer */
  constructor(
    readonly status: number | null,
    message: string,
    readonly issues: readonly Issue[] = [],
  ) {
    super(message);
  }
}

export interface EventStreamListener {
  /** The stream is open: all events after the one with this id arrive. */
  readonly onOpen: (id: string | null) => void;
  readonly onEvent: (event: ConsoleEvent, id: string | null) => void;
  /** Data arrived, perhaps only a heartbeat. */
  readonly onSign: () => void;
  readonly signal: AbortSignal;
}

function lost(): never {
  throw new Refused(null, "the server does not answer");
}

/** Without an answer after this time, the connection hangs. */
const READ_MS = 15_000;
/** An act may take longer: a wait takes a minute, and the clock waits for the webhooks that it makes due. */
const ACT_MS = 90_000;

async function send(path: string, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? AbortSignal.timeout(init.method === "GET" ? READ_MS : ACT_MS);
  const headers = new Headers(init.headers);
  if (token.value !== null) headers.set("Authorization", `Bearer ${token.value}`);
  const response = await fetch(addressOfCall(path), { ...init, signal, headers, cache: "no-store" }).catch(lost);
  if (response.ok) return response;
  const answer = (await response.json().catch(() => ({}))) as Partial<Refusal>;
  if (response.status === 401) tokenAsked.value = { isWrong: token.value !== null };
  throw new Refused(response.status, answer.message ?? `the server answers HTTP ${response.status}`, answer.issues);
}

/** All throw {@link Refused}. */
export const api = {
  async call<T>({ method, path, body }: ApiCall): Promise<T> {
    const content = body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_CONTENT };
    const response = await send(path, { method, ...content });
    return (await response.json().catch(lost)) as T;
  },
  get: <T>(path: string): Promise<T> => api.call({ method: "GET", path }),
  post: <T>(path: string, body: unknown): Promise<T> => api.call({ method: "POST", path, body }),
  /** Reads a file, which may be large. */
  async blob(path: string): Promise<Blob> {
    const response = await send(path, { method: "GET", signal: AbortSignal.timeout(ACT_MS) });
    return response.blob().catch(lost);
  },

  /**
   * Reads the stream of events until it ends.
   * @param since the id of the last event that was seen; null: from now on
   */
  async listen(since: string | null, { onOpen, onEvent, onSign, signal }: EventStreamListener): Promise<void> {
    const headers: Record<string, string> = since === null ? {} : { "Last-Event-ID": since };
    const response = await send("/events", { headers, signal });
    if (response.body === null) lost();
    onOpen(response.headers.get("Last-Event-ID"));
    const parser = createParser({
      onEvent: ({ event, data, id }) => onEvent({ name: event, data: JSON.parse(data) } as ConsoleEvent, id ?? null),
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read().catch(lost);
      if (done) return;
      onSign();
      parser.feed(value);
    }
  },
};

const JSON_CONTENT = { "Content-Type": "application/json" };
