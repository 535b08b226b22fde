import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import { faultText } from "../terminal/output.ts";
import { type OpenPort, openPort } from "./open-port.ts";
import { type OuterProxy, reach } from "./outer-proxy.ts";
import { join } from "./tls-door.ts";

export interface ProxyOptions {
  readonly hosts: readonly string[];
  /** The port that ends TLS for the named hosts, and the one that serves their requests. */
  readonly doorPort: number;
  readonly servedAt: number;
  readonly outer: OuterProxy;
  /** Keeps other users of this machine from using the proxy, and the outer proxy through it. */
  readonly password: string;
}

/** The user name, which a proxy's address needs before the password. */
export const PROXY_USER = "momo";

/** A proxy for the command only. It sends the named hosts to the sandbox, and makes plain tunnels to all others. */
export function openProxy({ hosts, doorPort, servedAt, outer, password }: ProxyOptions): Promise<OpenPort> {
  const isNamed = (host: string, port: number) => port === 443 && hosts.includes(host);

  const pass = `Basic ${Buffer.from(`${PROXY_USER}:${password}`).toString("base64")}`;
  const mayPass = ({ headers }: IncomingMessage) => headers["proxy-authorization"] === pass;

  async function tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    if (!mayPass(request)) return refuse(socket, NO_PASS, "the password of HTTPS_PROXY is missing");
    const url = urlOf(`https://${request.url}`);
    if (url === null) return refuse(socket, "400 Bad Request", `${request.url} is not HOST:PORT`);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port || 443);
    try {
      const [peer, first] = await (isNamed(host, port)
        ? reach("127.0.0.1", doorPort, DIRECT)
        : reach(host, port, outer));
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (first.length > 0) socket.write(first);
      if (head.length > 0) peer.write(head);
      join(socket, peer);
    } catch (error) {
      refuse(socket, "502 Bad Gateway", `${host}:${port} cannot be reached: ${faultText(error)}`);
    }
  }

  /** Some clients send the whole request for `https://HOST/…` to the proxy, without TLS. */
  function serve(request: IncomingMessage, response: ServerResponse): void {
    const url = urlOf(request.url ?? "");
    if (!mayPass(request)) {
      response.writeHead(407, { "Proxy-Authenticate": "Basic" }).end();
      return;
    }
    if (url?.protocol !== "https:" || !isNamed(url.hostname, Number(url.port || 443))) {
      response.writeHead(501).end("momo exec --intercept: this proxy makes tunnels, by CONNECT, and nothing else\n");
      return;
    }
    const { method } = request;
    const { "proxy-authorization": _, ...headers } = request.headers;
    const inner = ask({ host: "127.0.0.1", port: servedAt, method, path: url.pathname + url.search, headers });
    inner.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    inner.on("error", () => response.destroy());
    request.pipe(inner);
  }

  const server = createServer(serve);
  server.on("connect", (request, socket, head) => void tunnel(request, socket as Socket, head));
  return openPort(server as unknown as Server);
}

const NO_PASS = "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic";

const DIRECT: OuterProxy = { url: null, exceptions: [] };

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function refuse(socket: Socket, status: string, why: string): void {
  const text = `momo exec --intercept: ${why}\n`;
  const length = Buffer.byteLength(text);
  socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n${text}`);
}
