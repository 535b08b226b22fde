import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Transcript } from "./child.ts";
import { later } from "./cleanup.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** A connection on which a test sends what no HTTP client would. @throws an error if nothing listens there */
export async function connectTo(url: string) {
  const { hostname, port } = new URL(url);
  const received = new Transcript();
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, data) => received.add(data.toString()),
      close: () => {
        received.end();
        closed.resolve();
      },
    },
  });
  later(() => socket.terminate());
  return {
    write: (text: string) => void socket.write(text),
    /** Cuts the connection. */
    end: () => socket.terminate(),
    received,
    /** Resolves when the server has closed it. */
    closed: closed.promise,
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly text: string;
}

export interface ExchangeOptions {
  /** How many whole answers to wait for; by default the server closes the connection. */
  readonly answers?: number;
  /** Written after the first answer. */
  readonly next?: string;
  /** The answers have no bodies (HEAD). */
  readonly headOnly?: boolean;
  /** Stops when nothing came for so long. */
  readonly silentMs?: number;
}

export interface Exchanged {
  readonly answers: RawAnswer[];
  /** What came behind the last whole answer. */
  readonly rest: string;
  /** All of it, byte for byte. */
  readonly received: string;
  readonly closed: boolean;
}

/** Headers as they are sent. */
export const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

/** Writes bytes to a new connection, and reads the answers. */
export function exchange(url: string, raw: string | Uint8Array, options: ExchangeOptions = {}): Promise<Exchanged> {
  const { answers = Number.POSITIVE_INFINITY, headOnly = false, silentMs = PATIENCE_MS } = options;
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<Exchanged>();
  let { next } = options;
  let received = Buffer.alloc(0);
  const socket = connect(Number(port), hostname, () => socket.write(raw));
  const end = (closed: boolean) => {
    socket.destroy();
    resolve({ ...parseAnswers(received, headOnly), received: received.toString("latin1"), closed });
  };
  socket.setTimeout(silentMs, () => end(false));
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, Buffer.from(chunk)]);
    const { length } = parseAnswers(received, headOnly).answers;
    if (length > 0 && next !== undefined) {
      socket.write(next);
      next = undefined;
    }
    if (length >= answers) end(false);
  });
  socket.on("error", () => {});
  socket.on("close", () => end(true));
  return promise;
}

/** The whole answers in a stream. An answer without Content-Length, from the parser of the runtime, ends with its head. */
function parseAnswers(received: Buffer, headOnly: boolean): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const head = rest.subarray(0, end).toString("latin1");
    const length = headOnly ? 0 : Number(/^content-length: *([0-9]+)/im.exec(head)?.[1] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) break;
    rest = rest.subarray(end + 4 + length);
    const status = Number(head.split(" ")[1]);
    // 100 Continue is not the answer.
    if (status >= 200) answers.push({ status, head, text: body.toString() });
  }
  return { answers, rest: rest.toString("latin1") };
}

/**
 * Forwards connections to a server on this machine, and can interrupt them.
 * @param server the port of the server, or the path of its socket
 * @param losesAnswerTo whether the connection ends instead of the answer to these bytes
 */
export async function startForwarder(
  server: number | string,
  losesAnswerTo: (sent: string | Buffer) => boolean = () => false,
) {
  const open = new Set<Socket>();
  let [target, isCut, isSwallowing] = [server, false, false];
  const listener = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    if (isSwallowing) {
      near.on("error", () => near.destroy());
      near.resume();
      return;
    }
    const far = typeof target === "string" ? connect(target) : connect(target, "127.0.0.1");
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    let isLosing = false;
    near.on("data", (sent) => {
      isLosing ||= losesAnswerTo(sent);
    });
    far.on("data", () => {
      if (isLosing) near.destroy();
    });
    near.pipe(far).pipe(near);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    port: (listener.address() as { port: number }).port,
    /** Ends all connections, and refuses new ones until `mend()`. */
    cut,
    /** Accepts connections, and forwards nothing more. */
    swallow() {
      isSwallowing = true;
      for (const socket of open) socket.unpipe();
    },
    mend() {
      isCut = false;
      isSwallowing = false;
    },
    /** New connections lead to the server at this port; those that are open stay. */
    redirect(port: number) {
      target = port;
    },
    close() {
      cut();
      listener.close();
    },
  };
}
