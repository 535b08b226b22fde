import { atMost, type Clock } from "../domain/clock.ts";
import { shown } from "../domain/error.ts";
import { fail, failWith, respond } from "./reply.ts";
import { type Handler, type KeepOpen, type Refuse, targetOf } from "./request.ts";
import { routesOf, serveUnrouted } from "./sent-path.ts";

/** How long a connection may be silent, in seconds. */
const IDLE_TIMEOUT_S = 30;

/** How many requests can be in flight: twice the bound of waits, so that waits never block other requests. */
const MAX_IN_FLIGHT = 20_000;

/** Bun sends `100 Continue` only for these letters (oven-sh/bun#30248). A client that writes others would wait for ever. */
const CONTINUE = "100-continue";

export interface ServerOptions {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
  readonly handle: Handler;
  /** By default plain refusals. */
  readonly refuse?: Refuse;
  /** Paths that get many requests. */
  readonly busyPaths: readonly string[];
  readonly reportFault: (error: unknown) => void;
  /** For the time that a stop may take. */
  readonly durations: Clock;
  /** By default, and at most, {@link MAX_IN_FLIGHT}. */
  readonly maxInFlight?: number | null;
  /** The path that is answered whatever is in flight: that of a health check. */
  readonly always?: string;
}

export interface HttpServer {
  readonly hostname: string;
  readonly port: number;
  /** From now on, each answer asks its client to close the connection. */
  drain(): void;
  /** Closes the connections between two requests. Bun leaves those that have sent no whole request to the time-out. */
  closeIdle(): void;
  /** Stops accepting. Resolves when the requests in flight are answered, after `graceMs` at the latest. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Serves requests until stopped.
 * @throws an error with the code EADDRINUSE, EACCES or EADDRNOTAVAIL if it cannot listen at this address
 */
export function startServer(options: ServerOptions): HttpServer {
  const { hostname, handle, busyPaths, reportFault, durations } = options;
  const { refuse = async (_request, reply) => respond(reply) } = options;
  const keepOpen: KeepOpen = (request) => server.timeout(request, 0);
  const maxInFlight = Math.min(options.maxInFlight ?? MAX_IN_FLIGHT, MAX_IN_FLIGHT);
  const isAlways = (request: Request) => targetOf(request).path === options.always;
  let isDraining = false;
  let isBoundTold = maxInFlight === MAX_IN_FLIGHT;
  const refuseExcess = () => {
    if (!isBoundTold)
      reportFault(
        new Error(
          `${maxInFlight} requests are in flight, as many as the limit of open files (ulimit -n) allows; more are refused`,
        ),
      );
    isBoundTold = true;
    return closing(respond(fail(503, "too many requests at once")));
  };
  const answer = (request: Request) => {
    if (server.pendingRequests > maxInFlight && !isAlways(request)) return refuseExcess();
    const expectation = request.headers.get("Expect");
    if (expectation !== null && expectation !== CONTINUE && expectation.toLowerCase() === CONTINUE)
      // Its body has not come, so the next request on this connection would be taken for it.
      return closing(
        refuse(request, fail(417, `Expect must be ${CONTINUE} in lower case, or absent; it is ${shown(expectation)}`)),
      );
    return handle(request, keepOpen);
  };
  const serve = (request: Request) => (isDraining ? closing(answer(request)) : answer(request));
  const server = Bun.serve({
    hostname,
    port: options.port,
    development: false,
    // In production mode Bun lets a second server share the port, and both would answer in turn.
    reusePort: false,
    idleTimeout: IDLE_TIMEOUT_S,
    // Bodies are bounded when they are read, because Bun's own refusal is not JSON.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    routes: routesOf(busyPaths, serve, refuse),
    fetch: serveUnrouted(serve, refuse),
    error: (error) => respond(failWith(error, reportFault)),
  });
  return {
    hostname,
    port: server.port ?? options.port,
    drain(): void {
      isDraining = true;
    },
    closeIdle(): void {
      server.closeIdleConnections();
    },
    async stop(graceMs: number): Promise<void> {
      await atMost(durations, graceMs, server.stop(false));
      await server.stop(true);
    },
  };
}

/** An answer after which the server closes the connection: a client that kept it would send its next request to nobody. */
async function closing(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("Connection", "close");
  return response;
}
