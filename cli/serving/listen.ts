import { type BasePaths, OPERATION_PATHS } from "../../src/http/operation.ts";
import type { Handler } from "../../src/http/request.ts";
import { type HttpServer, startServer } from "../../src/http/server.ts";
import { sleep } from "../../src/system.ts";
import type { Assembled } from "./assemble.ts";
import { explainListenFailure } from "./listen-failure.ts";
import { sayContinue } from "./say-continue.ts";

export interface Addresses {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Of the control API and the console; 0: any free one, null: the same as the merchant API's. */
  readonly controlPort: number | null;
  readonly basePaths: BasePaths;
}

export interface Listening {
  readonly port: number;
  /** The addresses of the merchant API and of the control API, from this machine. */
  readonly origin: string;
  readonly controlOrigin: string;
  drain(): void;
  stop(graceMs: number): Promise<void>;
}

type Handlers = Pick<Assembled, "handle" | "handleApi" | "handleControl" | "refusePath">;

/**
 * Serves both APIs on one port or on two.
 * @throws Failure with the reason and the flag that helps; then nothing listens
 */
export async function listen(
  { host, port, controlPort, basePaths }: Addresses,
  { handle, handleApi, handleControl, refusePath }: Handlers,
  reportFault: (error: unknown) => void,
): Promise<Listening> {
  const servers: HttpServer[] = [];
  const busyPaths = basePaths.flatMap((basePath) => OPERATION_PATHS.map((path) => basePath + path));
  const stop = async (graceMs: number) => void (await Promise.all(servers.map((server) => server.stop(graceMs))));

  async function serve(wanted: number, flag: "--port" | "--control-port", handler: Handler): Promise<number> {
    try {
      const paths = { handle: handler, refusePath, busyPaths };
      const server = startServer({ hostname: host, port: wanted, ...paths, reportFault, sleep, sayContinue });
      servers.push(server);
      return server.port;
    } catch (error) {
      await stop(0);
      throw await explainListenFailure(error, { host, port: wanted, flag });
    }
  }

  const merchantPort = await serve(port, "--port", controlPort === null ? handle : handleApi);
  const ownPort = controlPort === null ? merchantPort : await serve(controlPort, "--control-port", handleControl);
  return {
    port: merchantPort,
    origin: `http://${reachable(host)}:${merchantPort}`,
    controlOrigin: `http://${reachable(host)}:${ownPort}`,
    drain() {
      for (const server of servers) server.drain();
    },
    stop,
  };
}

/** How this machine reaches the address that the server listens on. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
