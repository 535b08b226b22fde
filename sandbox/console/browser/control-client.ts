import { createParser } from "eventsource-parser";
import type { ConsoleEvent } from "./wire.ts";

/** A refusal of the control API. Its message says how to correct the request. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The server did not answer. */
export class ServerLost extends Error {
  constructor() {
    super("the server does not answer");
  }
}

export interface ControlClientOptions {
  /** The address of the control API: a path without a host, so that it works behind every name. */
  readonly url: string;
  /** The control token; null until the API requires one. */
  readonly token: () => string | null;
  /** The API refused the request: a token is missing or wrong. */
  readonly onTokenAsked: () => void;
}

export interface ControlClient {
  /** @throws Refused, ServerLost */
  get<T>(path: string): Promise<T>;
  /** Reads an answer that is not JSON. */
  text(path: string): Promise<string>;
  post<T>(path: string, body: unknown): Promise<T>;
  call<T>(call: { readonly method: string; readonly path: string; readonly body?: unknown }): Promise<T>;
  /**
   * Reads the stream of events until it ends.
   * @param since the id of the last event that was seen; null: from now on
   * @throws Refused, ServerLost
   */
  listen(since: string | null, listener: EventStreamListener): Promise<void>;
}

export interface EventStreamListener {
  /** The stream is open: all later events arrive. */
  readonly onOpen: () => void;
  readonly onEvent: (event: ConsoleEvent, id: string | null) => void;
  /** Data arrived, perhaps only a heartbeat. */
  readonly onSign: () => void;
  readonly signal: AbortSignal;
}

/** The only file that talks to the server. */
export function createControlClient({ url, token, onTokenAsked }: ControlClientOptions): ControlClient {
  async function send(path: string, init: RequestInit): Promise<Response> {
    const held = token();
    const headers = new Headers(init.headers);
    if (held !== null) headers.set("Authorization", `Bearer ${held}`);
    const response = await fetch(url + path, { ...init, headers, cache: "no-store" }).catch(() => {
      throw new ServerLost();
    });
    if (response.ok) return response;
    const answer = (await response.json().catch(() => ({}))) as { message?: string };
    if (response.status === 401) onTokenAsked();
    throw new Refused(response.status, answer.message ?? `the server answers HTTP ${response.status}`);
  }

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const content =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await send(path, { method, ...content });
    return (await response.json().catch(() => {
      throw new ServerLost();
    })) as T;
  }

  return {
    get: (path) => call("GET", path),
    text: async (path) => (await send(path, { method: "GET" })).text(),
    post: (path, body) => call("POST", path, body),
    call: ({ method, path, body }) => call(method, path, body),

    async listen(since, { onOpen, onEvent, onSign, signal }) {
      const headers: Record<string, string> = since === null ? {} : { "Last-Event-ID": since };
      const response = await send("/events", { headers, signal });
      if (response.body === null) throw new ServerLost();
      onOpen();
      const parser = createParser({
        onEvent: ({ event, data, id }) => onEvent({ name: event, data: JSON.parse(data) } as ConsoleEvent, id ?? null),
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read().catch(() => {
          throw new ServerLost();
        });
        if (done) return;
        onSign();
        parser.feed(value);
      }
    },
  };
}
