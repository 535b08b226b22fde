import { connect } from "node:net";
import { sayContinue } from "../../cli/serving/say-continue.ts";
import { startServer } from "../../src/http/server.ts";
import { sleep } from "../../src/system.ts";
import { type ControlScene, openControl } from "./control.ts";

/** A real server on a loopback port, and requests as bytes. */

export interface WireAnswer {
  readonly status: number;
  readonly head: string;
  readonly text: string;
}

export interface Wire extends ControlScene {
  readonly port: number;
  /** The credentials as header lines. */
  readonly credentials: string;
  /** Writes, and reads until there are `answers` whole ones or the server closes the connection. */
  exchange(raw: string | Uint8Array, options?: ExchangeOptions): Promise<{ answers: WireAnswer[]; closed: boolean }>;
  /** A request for a payment with these header lines and this body. */
  startRequest(headers: string, body: string): string;
  /** Opens a connection, writes, and resolves when it is written. */
  open(raw: string): Promise<{ end(): Promise<void> }>;
}

interface ExchangeOptions {
  readonly answers?: number;
  /** Written after the first answer. */
  readonly next?: string;
  /** The answers have no bodies (HEAD). */
  readonly headOnly?: boolean;
}

export async function openWire(): Promise<Wire> {
  const scene = await openControl();
  const { harness, caller, handle, refusePath } = scene;
  const reportFault = (error: unknown) => void harness.faults.push(error);
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
  const credentials = `X-API-Key: ${caller.key.apiKey}\r\nX-API-Secret: ${caller.key.apiSecret}\r\n`;

  function exchange(raw: string | Uint8Array, { answers = 1, next, headOnly = false }: ExchangeOptions = {}) {
    return new Promise<{ answers: WireAnswer[]; closed: boolean }>((resolve) => {
      const socket = connect(server.port, "127.0.0.1");
      let received = Buffer.alloc(0);
      let following = next;
      const finish = (closed: boolean) => {
        socket.destroy();
        resolve({ answers: parseAnswers(received, headOnly), closed });
      };
      socket.on("connect", () => socket.write(raw));
      socket.on("data", (chunk) => {
        received = Buffer.concat([received, Buffer.from(chunk)]);
        const { length } = parseAnswers(received, headOnly);
        if (length > 0 && following !== undefined) {
          socket.write(following);
          following = undefined;
        }
        if (length >= answers) finish(false);
      });
      socket.on("close", () => finish(true));
      socket.on("error", () => finish(true));
    });
  }

  return {
    ...scene,
    port: server.port,
    credentials,
    exchange,
    startRequest: (headers, body) =>
      `POST /v2/stkpush.php HTTP/1.1\r\nHost: localhost\r\n${credentials}Content-Type: application/json\r\n${headers}\r\n${body}`,
    open: (raw) =>
      new Promise((resolve, reject) => {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", reject);
        const end = () =>
          new Promise<void>((ended) => {
            socket.on("close", () => ended());
            socket.destroy();
          });
        socket.on("connect", () => socket.write(raw, () => resolve({ end })));
      }),
    async close() {
      await server.stop(0);
      await scene.close();
    },
  };
}

/** The complete answers in a stream. An answer without Content-Length, from the parser of the runtime, ends with its head. */
function parseAnswers(received: Buffer, headOnly: boolean): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const head = rest.subarray(0, end).toString("latin1");
    const length = headOnly ? 0 : Number(/^content-length: *([0-9]+)/im.exec(head)?.[1] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    rest = rest.subarray(end + 4 + length);
    const status = Number(head.split(" ")[1]);
    // 100 Continue is not the answer.
    if (status >= 200) answers.push({ status, head, text: body.toString() });
  }
}
