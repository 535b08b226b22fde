import { later } from "./cleanup.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** A server that is not momo: the test decides what it answers. It keeps the requests. */
export interface FakeServer {
  /** With the base path of the payment service. */
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: { readonly url: string; readonly headers: Headers }[];
}

export function serveFake(answer: (request: Request) => Response | Promise<Response>): FakeServer {
  const requests: { url: string; headers: Headers }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: (request) => {
      // A request loses its headers after its answer.
      requests.push({ url: request.url, headers: new Headers(request.headers) });
      return answer(request);
    },
  });
  later(() => server.stop(true));
  const port = server.port ?? 0;
  return { baseUrl: `http://127.0.0.1:${port}/v2`, port, requests };
}

/** Flags that name it, with credentials of no merchant. */
export const flagsOf = ({ baseUrl }: Pick<FakeServer, "baseUrl">): string[] => [
  "--base-url",
  baseUrl,
  "--api-key",
  "mk_nobody",
  "--api-secret",
  "ms_nobody",
];

/** A shop's receiver of webhooks, on a free port. */
export interface Receiver {
  readonly url: string;
  /** The messages, in the order in which they arrived. */
  readonly received: { readonly body: Record<string, unknown>; readonly headers: Headers }[];
  /** Resolves when `count` messages have arrived. */
  until(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Reads the message, and never answers. */
export const hang = () => new Promise<Response>(() => {});

type Answer = (nth: number, body: Record<string, unknown>) => Response | Promise<Response>;

/** @param answer what it answers to the first, the second … message; by default 200 */
export function startReceiver(answer: Answer = () => new Response("ok")): Receiver {
  const received: Receiver["received"] = [];
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 0,
    async fetch(request) {
      const headers = new Headers(request.headers);
      const body = (await request.json()) as Record<string, unknown>;
      const nth = received.push({ body, headers });
      for (const look of waiting) look();
      return answer(nth, body);
    },
  });
  const stop = () => server.stop(true);
  later(stop);
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    stop,
    async until(count) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = () => received.length >= count && resolve();
      const late = setTimeout(() => reject(new Error(`${received.length} of ${count} messages came`)), PATIENCE_MS);
      waiting.add(look);
      look();
      await promise.finally(() => {
        clearTimeout(late);
        waiting.delete(look);
      });
    },
  };
}
