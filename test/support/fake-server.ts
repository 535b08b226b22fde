import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { later } from "./cleanup.ts";
import { Tellings, type Told } from "./reconcile.ts";
import { inTime, until } from "./waiting.ts";

/** A server that is not momo: the test decides what it answers. It keeps the requests. */
export interface FakeServer {
  /** With the base path of the payment service. */
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: { readonly url: string; readonly headers: Headers }[];
  stop(): Promise<void>;
}

export function serveFake(answer: (request: Request) => Response | Promise<Response>): FakeServer {
  const requests: { url: string; headers: Headers }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 0,
    fetch: (request) => {
      // A request loses its headers after its answer.
      requests.push({ url: request.url, headers: new Headers(request.headers) });
      return answer(request);
    },
  });
  const stop = () => server.stop(true);
  later(stop);
  const port = server.port ?? 0;
  return { baseUrl: `http://127.0.0.1:${port}/v2`, port, requests, stop };
}

/** A server that does not speak HTTP: what it does with the socket when something arrives. */
export function serveRaw(act: (socket: Bun.Socket, bytes: Buffer) => unknown): { url: string; port: number } {
  const data = (socket: Bun.Socket, bytes: Buffer) => void act(socket, bytes);
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data } });
  later(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, port: server.port };
}

/**
 * An address where nothing listens, and nothing else can: its port is that of a connection which this process holds.
 * A port that was only closed can be the next one that the system gives away.
 */
export async function holdSilentOrigin(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  later(() => {
    socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${socket.localPort}`;
}

/** Flags that name it, with credentials of no merchant. */
export const flagsOf = ({ baseUrl }: Pick<FakeServer, "baseUrl">): string[] =>
  `--base-url ${baseUrl} --api-key mk_nobody --api-secret ms_nobody`.split(" ");

/** Reads the message, and never answers. */
export const hang = () => new Promise<Response>(() => {});

type Answer = (nth: number, body: Record<string, unknown>) => Response | Promise<Response>;

export type Receiver = ReturnType<typeof startReceiver>;

/** A shop's receiver of webhooks, on a free port. @param answer what it answers to the first, the second … message; by default 200 */
export function startReceiver(answer: Answer = () => new Response("ok")) {
  const received: { readonly body: Record<string, unknown>; readonly headers: Headers }[] = [];
  let arrival = Promise.withResolvers<void>();
  const { port, stop } = serveFake(async (request) => {
    const headers = new Headers(request.headers);
    const body = (await request.json()) as Record<string, unknown>;
    const nth = received.push({ body, headers });
    arrival.resolve();
    arrival = Promise.withResolvers<void>();
    return answer(nth, body);
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** The messages, in the order in which they arrived. */
    received,
    stop,
    /** Resolves when `count` messages have arrived. */
    async until(count: number) {
      while (received.length < count)
        await inTime(arrival.promise, () => `${received.length} of ${count} messages came`);
    },
  };
}

/** A receiver which outlives the servers of a trial, and counts how often each payment arrived. */
export function startCountingReceiver() {
  const arrived = new Tellings();
  const { url } = startReceiver((_nth, { data }) => {
    arrived.add((data as { transaction_id: number }).transaction_id);
    return new Response();
  });
  return {
    url,
    /** Waits until all of these payments have arrived, or for a long time. */
    async told(ids: readonly number[]): Promise<Told> {
      const told = async () => arrived.of(ids);
      await until(told, ({ never }) => never === 0).catch(() => {});
      return told();
    },
  };
}
