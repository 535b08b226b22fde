import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { ambiguousPath, fail, respond } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import type { CredentialsRecord } from "../serving/records.ts";
import { canonicalHost } from "./hosts.ts";

export interface AnswerOptions {
  readonly hosts: readonly string[];
  /** The merchant API of the sandbox, and the key that intercepted requests get. */
  readonly handleApi: Handler;
  readonly credentials: CredentialsRecord;
  /** Called with the host of each request. */
  readonly onRequest: (host: string) => void;
  readonly reportFault: (error: unknown) => void;
}

/** Answers requests to `https://HOST/…` with the sandbox. */
export function createAnswer({
  hosts,
  handleApi,
  credentials,
  onRequest,
  reportFault,
}: AnswerOptions): RequestListener {
  async function handle(request: IncomingMessage): Promise<Response> {
    const { method = "GET", url = "/", rawHeaders } = request;
    const headers = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
    const host = canonicalHost(headers.get("Host") ?? "");
    if (!hosts.includes(host)) return respond(fail(421, `Host must be ${hosts.join(" or ")}`));
    onRequest(host);
    // As a proxy may read it differently than momo.
    if (AMBIGUOUS.test(url)) return respond(ambiguousPath());
    headers.delete("Proxy-Authorization");
    // A program under test has a key of the real service. A request without one is refused.
    if (headers.get("X-API-Key")) headers.set("X-API-Key", credentials.api_key);
    if (headers.get("X-API-Secret")) headers.set("X-API-Secret", credentials.api_secret);
    const hasBody = headers.has("Content-Length") || headers.has("Transfer-Encoding");
    const body = hasBody && method !== "GET" && method !== "HEAD" ? Readable.toWeb(request) : null;
    const target = url.startsWith("/") ? `https://${host}${url}` : url;
    return handleApi(new Request(target, { method, headers, body: body as ReadableStream | null, duplex: "half" }));
  }

  async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await handle(request);
    // It rejects for an answer that a fault breaks off.
    const bytes = await reply.bytes().catch(() => null);
    if (bytes === null) return void response.destroy();
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(bytes);
  }

  return (request, response) => {
    send(request, response).catch((error) => {
      reportFault(error);
      response.destroy();
    });
  };
}

/** A dot segment or a backslash in the path, also escaped. */
const AMBIGUOUS = /^[^?]*(?:\\|%5c|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;
