import { closeSync, openSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import type { Refuse } from "../../sandbox/control/observe.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { createRepeater } from "../../src/domain/repeater.ts";
import { type BasePaths, OPERATION_PATHS } from "../../src/http/paths.ts";
import type { Handler } from "../../src/http/request.ts";
import { type HttpServer, startServer } from "../../src/http/server.ts";
import { causeOf } from "../../src/store/causes.ts";
import { durations } from "../../src/system.ts";
import type { Environment } from "../environment.ts";
import { Failure } from "../terminal/failure.ts";

export interface Addresses {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Of the control API and the console; 0: any free one, null: the same as the merchant API's. */
  readonly controlPort: number | null;
  readonly basePaths: BasePaths;
  readonly environment: Environment;
}

export interface Listening {
  readonly port: number;
  /** The addresses of the merchant API and of the control API, from this machine. */
  readonly origin: string;
  readonly controlOrigin: string;
  drain(): void;
  readonly closeIdle: () => void;
  readonly stop: (graceMs: number) => Promise<undefined>;
}

export interface Handlers {
  /** Both APIs, for one port. */
  readonly handle: Handler;
  /** Each API alone, for a port of its own. */
  readonly handleApi: Handler;
  readonly handleControl: Handler;
  readonly refuse: Refuse;
}

/**
 * Tries the address and the ports before the data directory is touched.
 * @throws Failure with the reason and the flag that helps
 */
export async function requireFreePorts(addresses: Omit<Addresses, "basePaths">): Promise<void> {
  const { host, port, controlPort, environment } = addresses;
  const isUsual = host === "127.0.0.1" || host === "::1";
  for (const [flag, wanted] of [
    ["--port", port],
    ["--control-port", controlPort ?? 0],
  ] as const) {
    if (wanted === 0 && (flag === "--control-port" || isUsual)) continue;
    try {
      if (!isUsual) await requireKnownName(host);
      Bun.listen({ hostname: host, port: wanted, socket: { data: () => {} } }).stop(true);
    } catch (error) {
      const explained = await explainListenFailure(error, { host, port: wanted, flag, environment });
      if (explained instanceof Failure) throw explained; // what else is wrong, listen reports
    }
  }
}

/**
 * The runtime's own error for a name without an address has no code, or that of an earlier call.
 * @throws an error with the code of the system
 */
async function requireKnownName(host: string): Promise<void> {
  // Loading this takes 1.4 of the 27 ms until momo serve is ready.
  const { lookup } = await import("node:dns/promises");
  await lookup(host);
}

/**
 * Serves both APIs on one port or on two.
 * @throws Failure with the reason and the flag that helps; then nothing listens
 */
export async function listen(
  { host, port, controlPort, basePaths, environment }: Addresses,
  { handle, handleApi, handleControl, refuse }: Handlers,
  reportFault: (error: unknown) => void,
): Promise<Listening> {
  const servers: HttpServer[] = [];
  const busyPaths = basePaths.flatMap((basePath) => OPERATION_PATHS.map((path) => basePath + path));
  const bound = mostRequests();
  const maxInFlight = bound === null || controlPort === null ? bound : Math.ceil(bound / 2);
  const stop = async (graceMs: number) => void (await Promise.all(servers.map((server) => server.stop(graceMs))));

  async function serve(wanted: number, flag: "--port" | "--control-port", handler: Handler): Promise<number> {
    try {
      const server = startServer({
        hostname: host,
        port: wanted,
        handle: handler,
        refuse,
        busyPaths,
        reportFault,
        durations,
        maxInFlight,
        always: `${CONTROL_PATH}/health`,
      });
      servers.push(server);
      return server.port;
    } catch (error) {
      await stop(0);
      throw await explainListenFailure(error, { host, port: wanted, flag, environment });
    }
  }

  const merchantPort = await serve(port, "--port", controlPort === null ? handle : handleApi);
  const ownPort = controlPort === null ? merchantPort : await serve(controlPort, "--control-port", handleControl);
  return {
    port: merchantPort,
    origin: originAt(host, merchantPort),
    controlOrigin: originAt(host, ownPort),
    drain() {
      for (const server of servers) server.drain();
    },
    closeIdle() {
      for (const server of servers) server.closeIdle();
    },
    stop,
  };
}

/** How this machine reaches a server that listens there. */
export const originAt = (host: string, port: number): string => `http://${reachable(host)}:${port}`;

function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return inUrl(host);
}

/** Another program listens there. */
export class PortInUse extends Failure {
  constructor(
    message: string,
    hint: string,
    /** The option that chose the port. */
    readonly flag: string,
  ) {
    super("unexpected", message, hint);
  }
}

const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

interface Wanted extends Pick<Addresses, "host" | "port" | "environment"> {
  readonly flag: "--port" | "--control-port";
}

/** Why the server cannot listen on the address, which program uses it, and the flag that helps. */
export async function explainListenFailure(
  error: unknown,
  { host, port, environment, flag }: Wanted,
  holderTimeoutMs = HOLDER_TIMEOUT_MS,
): Promise<unknown> {
  const { code = "" } = error as NodeJS.ErrnoException;
  const address = `${inUrl(host)}:${port}`;
  const refuse = (message: string, hint: string) => new Failure("unexpected", message, hint);
  if (code === "EADDRINUSE") {
    environment.reachDirectly(host);
    const momo = await findMomo(host, port, holderTimeoutMs);
    const free = `${environment.beforeOptions()}${flag} 0`;
    const another = `choose another port with ${flag}, or ${free} for any free one`;
    const hint = momo ? `use that one at ${originAt(host, port)}, ${another}` : another;
    return new PortInUse(`${address} is in use by ${momo ?? "another program"}`, hint, flag);
  }
  if (code === "EACCES" || code === "EPERM") {
    return refuse(`${address} may not be listened on (${code})`, `choose a port above 1023 with ${flag}`);
  }
  const reason = NO_ADDRESS[code];
  if (reason === undefined) return error;
  return refuse(`${host} ${reason} (${code})`, "choose an address with --host, such as 127.0.0.1");
}

const NO_ADDRESS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "is not an address of this machine",
  EINVAL: "is not an address of this machine",
  EAFNOSUPPORT: "is not an address of this machine",
  ENOENT: "does not resolve to an address",
  ENOTFOUND: "does not resolve to an address",
  EAGAIN: "does not resolve to an address, because no name server answers",
};

/** A busy momo answers within this time. A program that never answers delays the refusal by no more. */
const HOLDER_TIMEOUT_MS = 3000;

/** Asks the program on the port whether it is a momo. @returns its name; null for another program */
async function findMomo(host: string, port: number, timeoutMs: number): Promise<string | null> {
  try {
    const answer = await fetch(`http://${inUrl(host)}:${port}${CONTROL_PATH}/health`, {
      signal: AbortSignal.timeout(timeoutMs),
    });
    const health = (await answer.json()) as { status?: unknown; pid?: unknown };
    if (Number.isInteger(health.pid)) return `another momo (process ${health.pid})`;
    if (health.status === "ok" || health.status === "draining") return "another momo";
  } catch {
    // It is not a momo.
  }
  return null;
}

/** Whether a server could listen on a port of this machine. */
export function isFree(port: number): boolean {
  const listener = readOrNull(() => Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }));
  listener?.stop(true);
  return listener !== null;
}

/** How many file descriptors stay free for the database, for webhooks, and to refuse those who come too late. */
const RESERVED = 32;

/** How many requests can be in flight at once, so that a descriptor is left; null where the system does not tell its limit. */
function mostRequests(): number | null {
  const limits = readOrNull(() => readFileSync("/proc/self/limits", "utf8")) ?? "";
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Math.max(Number(soft) - RESERVED, 1);
}

const LOOK_MS = 1000;
const TELL_MS = 60_000;

interface Parts {
  readonly clock: Clock;
  /** Closes the connections between two requests. */
  readonly closeIdle: () => void;
  readonly reportFault: (error: unknown) => void;
}

/**
 * Looks each second whether a descriptor is left. Without one the runtime tries all the time to accept the next connection.
 * @returns a function that ends it
 */
export function watchDescriptors({ clock, closeIdle, reportFault }: Parts): () => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  const work = () => {
    const cause = causeOf(whyNoneIsLeft());
    if (!cause) return;
    closeIdle();
    if (clock.nowMs() - toldAtMs < TELL_MS) return;
    toldAtMs = clock.nowMs();
    reportFault(new Error(`no connection can be accepted: ${cause.reason}; ${cause.remedy}`));
  };
  const watch = createRepeater({ clock, everyMs: LOOK_MS, work, onError: reportFault });
  watch.start();
  return watch.stop;
}

function whyNoneIsLeft(): unknown {
  try {
    closeSync(openSync(devNull, "r"));
    return null;
  } catch (error) {
    return error;
  }
}
