import type { Server } from "bun";
import { ambiguousPath, fail, failWith, respond } from "./reply.ts";
import type { Handler, KeepOpen, RefusePath } from "./request.ts";
import { routesOf, serveUnrouted } from "./sent-path.ts";

/** How long a connection may be silent, in seconds. */
const IDLE_TIMEOUT_S = 30;

/** How many requests can be in flight: twice the bound of waits, so that waits never block other requests. */
const MAX_IN_FLIGHT = 20_000;

export interface ServerOptions {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
  readonly handle: Handler;
  /** By default a plain refusal. */
  readonly refusePath?: RefusePath;
  /** Paths that get many requests. */
  readonly busyPaths: readonly string[];
  readonly reportFault: (error: unknown) => void;
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** By default {@link MAX_IN_FLIGHT}. */
  readonly maxInFlight?: number;
}

export interface HttpServer {
  readonly hostname: string;
  readonly port: number;
  /** Stops accepting. Resolves when the requests in flight are answered, after `graceMs` at the latest. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Serves requests until stopped.
 * @throws an error with the code EADDRINUSE, EACCES or EADDRNOTAVAIL if it cannot listen at this address
 */
export function startServer(options: ServerOptions): HttpServer {
  const { hostname, port, handle, busyPaths, reportFault, sleep, maxInFlight = MAX_IN_FLIGHT } = options;
  const { refusePath = async () => respond(ambiguousPath()) } = options;
  const keepOpen: KeepOpen = (request) => server.timeout(request, 0);
  const serve = (request: Request) =>
    server.pendingRequests > maxInFlight ? respond(fail(503, "too many requests at once")) : handle(request, keepOpen);
  const server: Server<undefined> = Bun.serve({
    hostname,
    port,
    development: false,
    // In production mode Bun lets a second server share the port, and both would answer in turn.
    reusePort: false,
    idleTimeout: IDLE_TIMEOUT_S,
    // Bodies are bounded when they are read, because Bun's own refusal is not JSON.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    routes: routesOf(busyPaths, serve, refusePath),
    fetch: serveUnrouted(serve, refusePath),
    error: (error) => respond(failWith(error, reportFault)),
  });
  return {
    hostname,
    port: server.port ?? port,
    async stop(graceMs) {
      const answered = new AbortController();
      await Promise.race([server.stop().finally(() => answered.abort()), sleep(graceMs, answered.signal)]);
      await server.stop(true);
    },
  };
}
