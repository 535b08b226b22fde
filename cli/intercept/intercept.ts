import { mkdirSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Clock } from "../../src/domain/clock.ts";
import { once } from "../../src/domain/once.ts";
import { type Random, token } from "../../src/domain/random.ts";
import { ambiguousPath, fail, respond } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import type { CredentialsRecord } from "../files/server-record.ts";
import { Failure } from "../terminal/failure.ts";
import type { Output } from "../terminal/output.ts";
import { makeCertificates } from "./certificate.ts";
import { canonicalHost } from "./hosts.ts";
import { readOuterProxy } from "./outer-proxy.ts";
import { openProxy, openTlsEnd } from "./proxy.ts";
import { interceptionVariables } from "./variables.ts";

export interface InterceptOptions extends Omit<AnswerOptions, "onRequest" | "reportFault"> {
  /** A private folder, created here and removed by the caller. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly out: Output;
}

export interface Interception {
  readonly variables: Record<string, string>;
  readonly stop: () => Promise<void>;
  /** The hosts that no request has reached. */
  readonly silentHosts: () => readonly string[];
}

/**
 * Answers `https://HOST/…` for programs with the variables: TLS ends in this process, and the requests never leave it.
 * @returns the variables for the command's environment
 * @throws Failure with the reason; then nothing is left open
 */
export async function startInterception(options: InterceptOptions): Promise<Interception> {
  const { hosts, folder, out } = options;
  const outer = readOuterProxy(out.environment);
  const silent = new Set(hosts);
  const open = new AsyncDisposableStack();
  try {
    mkdirSync(folder, { mode: 0o700 });
    const run = {
      hosts,
      certificates: makeCertificates(hosts, options.clock, options.random),
      folder,
      tlsPath: socketName(folder, options.random),
      password: token(options.random, 24),
      outer,
      answer: createAnswer({ ...options, onRequest: (host) => silent.delete(host), reportFault: out.reportFault }),
    };
    const tlsEnd = await openTlsEnd(
      run,
      once(() => tellDistrust(out, hosts)),
    );
    open.defer(tlsEnd.close);
    const proxy = await openProxy(run, tlsEnd);
    open.defer(proxy.close);
    return {
      variables: interceptionVariables(run, proxy.port, out.environment),
      stop: () => open.disposeAsync(),
      silentHosts: (): readonly string[] => [...silent],
    };
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }
}

/** A socket in the private folder; Windows has named pipes instead. */
function socketName(folder: string, random: Random): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\momo-${token(random, 24)}`;
  const path = join(folder, "tls");
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  throw new Failure(
    "unexpected",
    `${path} is too long for a socket: at most ${MAX_SOCKET_PATH} bytes`,
    "name a folder with a shorter path in the variable TMPDIR",
  );
}

/** Of macOS; Linux has 107. */
const MAX_SOCKET_PATH = 103;

function tellDistrust(out: Output, hosts: readonly string[]): void {
  out.tell(
    `momo: a program closed its connection to ${hosts.join(" or ")} before it sent a request: it does not trust the certificate of this run. It may pin the certificate of the real service, or have its own list of authorities, which no variable extends`,
  );
}

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
function createAnswer({ hosts, handleApi, credentials, onRequest, reportFault }: AnswerOptions): RequestListener {
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
