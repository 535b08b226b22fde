import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { Server, Socket } from "node:net";
import { pipeline } from "node:stream";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { durations } from "../../src/system.ts";
import { Failure } from "../terminal/failure.ts";
import { faultText } from "../terminal/output.ts";
import type { Certificates } from "./certificate.ts";
import { canonicalHost } from "./hosts.ts";
import { type OuterProxy, reach } from "./outer-proxy.ts";

/** One run of `momo exec --intercept`. */
export interface InterceptedRun {
  readonly hosts: readonly string[];
  readonly certificates: Certificates;
  /** A private folder for this run only. */
  readonly folder: string;
  /** Where programs with our preload connect: a socket in the folder, or a named pipe. */
  readonly tlsPath: string;
  /** Keeps other users of this machine from using the proxy, and the outer proxy through it. */
  readonly password: string;
  readonly outer: OuterProxy;
  /** Answers the requests for the hosts. */
  readonly answer: RequestListener;
}

/** The user name, which a proxy's address needs before the password. */
export const PROXY_USER = "momo";

/** The value of `Proxy-Authorization`. */
const basicOf = (password: string) => `Basic ${Buffer.from(`${PROXY_USER}:${password}`).toString("base64")}`;

/**
 * A proxy for the command only. It sends the named hosts to the sandbox, and makes plain tunnels to all others.
 * @param tlsEnd ends TLS for the named hosts
 */
export function openProxy({ hosts, answer, outer, password }: InterceptedRun, tlsEnd: TlsEnd): Promise<OpenPort> {
  const strangers = new Strangers();
  const isNamed = (host: string, port: number) => port === 443 && hosts.includes(canonicalHost(host));

  const pass = basicOf(password);
  function mayPass({ headers, socket }: IncomingMessage): boolean {
    const isKnown = headers["proxy-authorization"] === pass;
    if (isKnown) strangers.admit(socket.remotePort);
    return isKnown;
  }

  async function tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const url = URL.parse(`https://${request.url}`);
    if (url === null) return refuse(socket, "400 Bad Request", `${request.url} is not HOST:PORT`);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port || 443);
    if (!mayPass(request)) return refuse(socket, NO_PASS, "the password of HTTPS_PROXY is missing");
    if (isNamed(host, port)) {
      socket.write(ESTABLISHED);
      if (head.length > 0) socket.unshift(head);
      return tlsEnd.accept(socket, host);
    }
    try {
      const [peer, first] = await reach(host, port, outer, socket);
      socket.write(ESTABLISHED);
      if (first.length > 0) socket.write(first);
      if (head.length > 0) peer.write(head);
      join(socket, peer);
    } catch (error) {
      refuse(socket, "502 Bad Gateway", `${url.hostname}:${port} cannot be reached: ${faultText(error)}`);
    }
  }

  /** Some clients send the whole request for `https://HOST/…` to the proxy, without TLS. */
  function serve(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? "");
    if (!mayPass(request)) {
      response.writeHead(407, { "Proxy-Authenticate": "Basic" }).end();
      return;
    }
    if (url?.protocol !== "https:" || !isNamed(url.hostname, Number(url.port || 443))) {
      response.writeHead(501).end("momo exec --intercept: this proxy makes tunnels, by CONNECT, and nothing else\n");
      return;
    }
    answer(request, response);
  }

  const server = createHttpServer(serve);
  server.on("connection", (socket: Socket) => strangers.meet(socket));
  server.on("connect", (request, socket, head) => void tunnel(request, socket as Socket, head));
  return listenAt(server);
}

const NO_PASS = "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic";

const ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";

/** Forwards bytes both ways, as fast as the receiver reads them. Both connections end together. */
function join(one: Socket, other: Socket): void {
  one.setMaxListeners(0); // the pipeline and the server add more than usual, and a warning about a leak would be printed
  pipeline(one, other, one, () => {
    one.destroy();
    other.destroy();
  });
}

function refuse(socket: Socket, status: string, why: string): void {
  const text = `momo exec --intercept: ${why}\n`;
  const length = Buffer.byteLength(text);
  socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n${text}`);
}

/**
 * Ends TLS for the named hosts. The decrypted requests are answered in this process: nothing listens behind it.
 * @param onDistrust called for each connection that ends before a request: the client does not trust the certificate
 */
export async function openTlsEnd(
  { certificates, tlsPath, answer }: InterceptedRun,
  onDistrust: () => void,
): Promise<TlsEnd> {
  const { key } = certificates;
  const http = createHttpServer(answer);
  const tlsServer = (cert: string) =>
    createTlsServer({ cert, key, ALPNProtocols: ["http/1.1"] }).on("secureConnection", (inner: TLSSocket) => {
      // A Node client checks the certificate only after the handshake.
      inner.once("close", () => {
        if (inner.bytesRead === 0) onDistrust();
      });
      http.emit("connection", inner);
    });
  const server = tlsServer(certificates.certificate).on("tlsClientError", onDistrust);
  const dotted = tlsServer(certificates.dotted).on("tlsClientError", onDistrust);
  const { close } = await listenAt(server as Server, tlsPath);
  return {
    close,
    accept: (socket: Socket, host: string) => void (host.endsWith(".") ? dotted : server).emit("connection", socket),
  };
}

interface TlsEnd {
  /** For a connection whose client has shown the password of the run. */
  accept(socket: Socket, host: string): void;
  close(): Promise<void>;
}

export interface OpenPort {
  /** 0 for a socket with a path. */
  readonly port: number;
  /** Ends every connection, too. */
  close(): Promise<void>;
}

/**
 * Listens on any free port of this machine, or on a socket at a path.
 * @throws Failure with the reason if that fails
 */
async function listenAt(server: Server, path?: string): Promise<OpenPort> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    const where = path === undefined ? "no port of 127.0.0.1 can be listened on" : `there can be no socket at ${path}`;
    reject(new Failure("unexpected", `${where} (${error.code ?? error.message})`));
  });
  if (path === undefined) server.listen(0, "127.0.0.1", resolve);
  else server.listen(path, resolve);
  await promise;
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const socket of open) socket.destroy();
      return closed.promise;
    },
  };
}

/** Limits for connections without the password: the newest 500, each for 10 s. */
const MOST = 500;
const FOR_MS = 10_000;

/** The connections to the proxy whose client may be anybody on this machine. Each is known by the client's port. */
class Strangers {
  readonly #waiting = new Map<number | undefined, { readonly socket: Socket; readonly cancelAlarm: () => void }>();

  meet(socket: Socket): void {
    const port = socket.remotePort;
    const cancelAlarm = durations.alarm(durations.nowMs() + FOR_MS, () => void socket.destroy());
    this.#waiting.set(port, { socket, cancelAlarm });
    socket.once("close", () => this.admit(port));
    const [oldest] = this.#waiting;
    if (!oldest || this.#waiting.size <= MOST) return;
    this.admit(oldest[0]);
    oldest[1].socket.destroy();
  }

  /** It has shown the password of the run, or it is closed. */
  admit(port: number | undefined): void {
    this.#waiting.get(port)?.cancelAlarm();
    this.#waiting.delete(port);
  }
}
