import { type Issue, invalid, kindOf, type Refusal, shown, whatCame } from "../domain/error.ts";
import { around, findJsonMistake, looksLikeUtf16 } from "../domain/json-mistake.ts";
import { parametersIn } from "../domain/parameters.ts";
import type { OPERATION_PATHS } from "./paths.ts";
import type { Reply } from "./reply.ts";

/** A server as a function: tests call it without a port. */
export type Handler = (request: Request, keepOpen?: KeepOpen) => Promise<Response>;

/**
 * Answers a request that is refused before its operation.
 * @param sentPath the path as it was sent; by default that of the request
 */
export type Refuse = (request: Request, reply: Reply, sentPath?: string) => Promise<Response>;

/** Exempts a request from the idle time-out of the server, because its answer may take long. */
export type KeepOpen = (request: Request) => void;

/** A value that only the lenient form accepts: the strict form refuses it. */
export interface Leniency {
  /** A member of the body, a parameter of the query, `body` or a header. */
  readonly member: string;
  /** The received value, as a refusal would show it. */
  readonly came: string;
}

/** What the log needs to know about one request. */
export interface Exchange {
  readonly target: Target;
  /** The body as text, as far as it was read. Null if nothing was read. */
  body: string | null;
  /** The members of a body that was read as a JSON object, so that nobody parses it again. Null for any other body. */
  members: object | null;
  /** The payment that it started or asked about, filled in by its operation. */
  checkoutRequestId: string | null;
  /** Whether its operation was reached: its path, its method and its credentials are right. */
  isAdmitted: boolean;
  /** Whether nothing was waited for but the body: then its client cannot have gone before the answer. */
  isAnsweredAtOnce: boolean;
  readonly leniencies: Leniency[];
}

export function newExchange(target: Target): Exchange {
  return {
    target,
    body: null,
    members: null,
    checkoutRequestId: null,
    isAdmitted: false,
    isAnsweredAtOnce: false,
    leniencies: [],
  };
}

/** The merchant API from request to answer. */
export interface Api {
  /** It never throws. */
  answer(request: Request, exchange: Exchange, keepOpen?: KeepOpen): Promise<Reply>;
  /**
   * Whether the lenient form accepts a request that the strict form has refused.
   * @param body its body as text, as far as it was read
   */
  wouldTake(request: Request, body: string | null): boolean;
  /** The operation that a request calls; null at another path, or with another method. */
  called(request: Request): (typeof OPERATION_PATHS)[number] | null;
}

/** Far more than a payment needs. A longer list of rules must be sent in parts. */
const MAX_BODY_BYTES = 64 * 1024;

export interface Target {
  readonly path: string;
  readonly query: string;
}

/** The path and the query of a request as they were sent, not unescaped. */
export function targetOf({ url }: Request): Target {
  // With a bad Host header, the URL is only the target.
  const origin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + "://".length);
  const fragment = url.indexOf("#");
  const end = fragment < 0 ? url.length : fragment;
  const mark = url.indexOf("?");
  return mark < 0 || mark > end
    ? { path: url.slice(origin, end), query: "" }
    : { path: url.slice(origin, mark), query: url.slice(mark + 1, end) };
}

/**
 * The address that the client used, such as `http://127.0.0.1:2547`, also through a forwarder: it is only for documents and links,
 * because every client can send these headers. Empty if no header has a plain host.
 */
export function originOf({ headers }: Request): string {
  const scheme = firstOf(headers, "X-Forwarded-Proto") === "https" ? "https" : "http";
  const hosts = [firstOf(headers, "X-Forwarded-Host"), headers.get("Host") ?? ""];
  return hosts.map((host) => originAt(scheme, host)).find((origin) => origin !== "") ?? "";
}

/** The address of the `Host` alone: what a forwarder calls this server. */
export const ownOriginOf = ({ headers }: Request): string => originAt("http", headers.get("Host") ?? "");

/** Of several forwarders, the one next to the client writes first. */
const firstOf = (headers: Headers, name: string): string => headers.get(name)?.split(",")[0]?.trim() ?? "";

function originAt(scheme: string, host: string): string {
  const isPlain = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i.test(host);
  return isPlain && URL.canParse(`${scheme}://${host}`) ? `${scheme}://${host}` : "";
}

/**
 * The JSON of a body that must be an object.
 * @throws Refusal `invalid` for another kind of JSON
 */
export function objectIn(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(`the body must be a JSON object; it is ${kindOf(value)}`, ofBody("must be a JSON object"));
  }
  return value;
}

/**
 * Requires the content type of JSON, because no HTML form can send it.
 * @throws Refusal `invalid` for another content type
 */
export function expectJson(headers: Headers): void {
  const type = headers.get("Content-Type");
  if (!isJson(type)) {
    const came = type === null ? "there is none" : `it is ${shown(type)}`;
    throw invalid(`Content-Type must be application/json; ${came}`, CONTENT_TYPE);
  }
}

export const isJson = (contentType: string | null): boolean =>
  /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? "");

/** The coding of a body that should be plain, also if it is plain; null for none. */
export function codingOf(headers: Headers): string | null {
  const coding = headers.get("Content-Encoding");
  return coding === null || /^identity$/i.test(coding) ? null : coding;
}

/**
 * Requires the headers of JSON that is not compressed.
 * @throws Refusal `invalid` for another content type, or a coding
 */
export function expectPlainJson(headers: Headers): void {
  expectJson(headers);
  const coding = codingOf(headers);
  if (coding === null) return;
  const message = "Content-Encoding must be left out, because the body must not be compressed";
  throw invalid(`${message}; it is ${shown(coding)}`, [{ path: "Content-Encoding", rule: "must be left out" }]);
}

/**
 * The JSON in a request's body, and its text.
 * @throws Refusal `invalid` as {@link expectPlainJson} and {@link readText} do, and for text that is not JSON
 */
export async function readJson(request: Request): Promise<{ readonly value: unknown; readonly text: string }> {
  expectPlainJson(request.headers);
  const text = await readText(request);
  return { value: parseJson(text), text };
}

/**
 * The text of a request's body.
 * @param exchange gets the text, also if it is refused
 * @throws Refusal `invalid` for more than {@link MAX_BODY_BYTES}, or bytes that are not UTF-8
 */
export async function readText(request: Request, exchange?: Exchange): Promise<string> {
  let text = "";
  try {
    const bytes = await readBytes(request);
    text = FORGIVING.decode(bytes);
    if (exchange) exchange.body = text;
    if (text.includes("\u{FFFD}")) FATAL.decode(bytes);
    return text;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") {
      // The client has closed the connection, too.
      throw invalid("the body ended before it was complete", ofBody("must be complete"));
    }
    if (error instanceof TypeError) throw noJson(text, error);
    throw error;
  }
}

/** @throws Refusal `invalid` for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noJson(text, error as SyntaxError);
  }
}

/** The refusal of a body that is not JSON. It names the cause if it can recognise it. */
function noJson(text: string, error: SyntaxError | TypeError): Refusal {
  if (text.startsWith(GZIP)) return notJson("the body is compressed (gzip): send it plain");
  if (looksLikeUtf16(text)) return notJson("the body is UTF-16: send one JSON object in UTF-8");
  if (error instanceof TypeError) return notJson("the body is not UTF-8: send one JSON object in UTF-8");
  if (text === "") return notJson("the body is empty, which is not JSON: send one JSON object");
  if (text.startsWith("\u{FEFF}")) {
    return notJson("the body begins with a byte order mark, which is not JSON: send the JSON object without it");
  }
  const mistake = findJsonMistake(text);
  // What does not begin like JSON is something else, such as a form.
  if (mistake === null || !/^\s*[{["]/.test(text))
    return notJson(`the body is not JSON: send one JSON object${whatCame(text)}`);
  return notJson(
    `the body is not JSON at character ${mistake.at + 1}, ${shown(around(text, mistake))}: ${mistake.what}`,
  );
}

const ofBody = (rule: string): Issue[] => [{ path: "body", rule }];
const CONTENT_TYPE: readonly Issue[] = [{ path: "Content-Type", rule: "must be application/json" }];

const notJson = (message: string): Refusal => invalid(message, ofBody("must be JSON"));

/** The first two bytes of gzip, as they look when they are read as text. */
const GZIP = "\x1F\u{FFFD}";

const FORGIVING = new TextDecoder("utf-8", { ignoreBOM: true });
const FATAL = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** A header as the client wrote it in UTF-8: the runtime reads each byte as a character, which stays so if it is not UTF-8. */
export function headerText(value: string): string {
  try {
    return FATAL.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** Reads the body, and never keeps more than the bound in memory. */
export function readBytes(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get("Content-Length");
  if (declared === null) return readChunks(request);
  return Number(declared) > MAX_BODY_BYTES ? Promise.reject(tooLarge()) : request.bytes();
}

const tooLarge = () => invalid(`the body is larger than ${MAX_BODY_BYTES} bytes`, ofBody("must be smaller"));

async function readChunks(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The parameters of a query string, or the members of a form, that an operation knows; others are ignored.
 * @throws Refusal `invalid` if one is given twice, or an escape is not UTF-8
 */
export function readParameters(text: string, known: readonly string[], what = "the query string") {
  try {
    decodeURIComponent(text);
  } catch {
    const rule = "has an escape that is not UTF-8, such as a % that should be %25";
    throw invalid(`${what} ${rule}`, [{ path: what, rule }]);
  }
  const given = parametersIn(text);
  const parameters: Record<string, string> = {};
  for (const name of known) {
    const [value, ...more] = given.getAll(name);
    if (more.length > 0) throw invalid(`${name} is given twice: give it once`, [{ path: name, rule: "given once" }]);
    if (value !== undefined) parameters[name] = value;
  }
  return parameters;
}
