import { sayContinue } from "../../cli/serving/say-continue.ts";
import { startServer } from "../../src/http/server.ts";
import { sleep } from "../../src/system.ts";
import { type Exchanged, type ExchangeOptions, exchange } from "./connection.ts";
import { openScene, type Scene } from "./scene.ts";

/** A real server on a loopback port, and requests as bytes. */

export interface Wire extends Scene {
  readonly origin: string;
  /** The credentials as header lines. */
  readonly credentials: string;
  /** Writes, and reads one answer, or as many as the options say. */
  exchange(raw: string | Uint8Array, options?: ExchangeOptions): Promise<Exchanged>;
  /** A request for a payment with these header lines and this body. */
  startRequest(headers: string, body: string): string;
}

export async function openWire(): Promise<Wire> {
  const scene = await openScene();
  const { faults, caller, handle, refusePath } = scene;
  const reportFault = (error: unknown) => void faults.push(error);
  const server = startServer({
    hostname: "127.0.0.1",
    port: 0,
    handle,
    refusePath,
    busyPaths: ["/v2/status.php"],
    reportFault,
    sleep,
    sayContinue,
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const credentials = `X-API-Key: ${caller.key.apiKey}\r\nX-API-Secret: ${caller.key.apiSecret}\r\n`;

  return {
    ...scene,
    origin,
    credentials,
    exchange: (raw, options) => exchange(origin, raw, { answers: 1, ...options }),
    startRequest: (headers, body) =>
      `POST /v2/stkpush.php HTTP/1.1\r\nHost: localhost\r\n${credentials}Content-Type: application/json\r\n${headers}\r\n${body}`,
    async close() {
      await server.stop(0);
      await scene.close();
    },
  };
}
