import { Buffer } from "node:buffer";
import { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { URL } from "node:url";
import { callAfter } from "./deadline.ts";

/**
 * A small HTTP client for the control API. A test may replace `fetch` and `node:http`, and fake all timers: this uses a socket of its own.
 */

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

const CONNECT_WITHIN_MS = 10_000;

/** @throws Error if there is no connection, or it ends before the whole answer */
export function send(request: HttpRequest): Promise<HttpAnswer> {
  const url = new URL(request.url);
  return new Promise((resolve, reject) => {
    const socket = connectTo(url);
    let received = "";
    socket.setEncoding("latin1"); // a character is a byte
    const cancel = callAfter(CONNECT_WITHIN_MS, () => socket.destroy(new Error("no connection within 10 s")));
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
      cancel(); // the server decides how long a wait lasts
      socket.write(headOf(request, url) + (request.body ?? ""));
    });
    socket.on("data", (chunk: string) => {
      received += chunk;
      const answer = parseAnswer(received);
      if (answer === null) return;
      resolve(answer);
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      cancel();
      reject(new Error("the connection was closed before the answer"));
    });
  });
}

function connectTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (protocol === "https:") return connectTls({ host, port: Number(port || 443), servername: host });
  return new Socket().connect({ host, port: Number(port || 80) });
}

function headOf({ method, headers, body = "" }: HttpRequest, url: URL): string {
  const all = { Host: url.host, Connection: "close", "Content-Length": Buffer.byteLength(body), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** @param received a character for each byte @returns null if the answer is not complete */
function parseAnswer(received: string): HttpAnswer | null {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const head = received.slice(0, headEnd);
  const rest = received.slice(headEnd + 4);
  const isChunked = /^transfer-encoding:.*\bchunked\b/im.test(head);
  const body = isChunked ? joinChunks(rest) : takeLength(rest, /^content-length: *([0-9]+)/im.exec(head)?.[1]);
  if (body === null) return null;
  const status = Number(head.split(" ", 2)[1]);
  return { status, text: Buffer.from(body, "latin1").toString("utf8") };
}

function takeLength(rest: string, length = "0"): string | null {
  return rest.length < Number(length) ? null : rest.slice(0, Number(length));
}

/** @returns null if the last chunk is missing */
function joinChunks(rest: string): string | null {
  let body = "";
  let start = 0;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n", start);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(rest.slice(start, lineEnd), 16);
    if (size === 0) return body;
    start = lineEnd + 2;
    if (rest.length < start + size + 2) return null;
    body += rest.slice(start, start + size);
    start += size + 2;
  }
}
