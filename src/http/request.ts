import { invalid, type Refusal } from "../domain/error.ts";
import { kindOf, shown, whatCame } from "../domain/what-came.ts";

/** A server as a function: tests call it without a port. */
export type Handler = (request: Request, keepOpen?: KeepOpen) => Promise<Response>;

/** Exempts a request from the server's idle time-out: its answer takes as long as it takes. */
export type KeepOpen = (request: Request) => void;

/** Far more than a payment takes; rules that need more are appended in parts. */
const MAX_BODY_BYTES = 64 * 1024;

/** The path and the query of a request, as they were sent: nothing unescaped. */
export function targetOf(request: Request): { path: string; query: string } {
  const { url } = request;
  const sent = AMBIGUOUS.get(request);
  // Where the Host header is bad, it is only the target itself.
  const origin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + "://".length);
  const fragment = url.indexOf("#");
  const end = fragment < 0 ? url.length : fragment;
  const mark = url.indexOf("?");
  return mark < 0 || mark > end
    ? { path: sent ?? url.slice(origin, end), query: "" }
    : { path: sent ?? url.slice(origin, mark), query: url.slice(mark + 1, end) };
}

const AMBIGUOUS = new WeakMap<Request, string>();

/**
 * Notes that a path means one thing as it was sent and another thing when it is resolved.
 * @param sent the path as it was sent
 */
export function markAmbiguous(request: Request, sent: string): void {
  AMBIGUOUS.set(request, sent);
}

export const isAmbiguous = (request: Request): boolean => AMBIGUOUS.has(request);

/**
 * Refuses dot segments and backslashes: a proxy may take such a path for another one than we do.
 * @throws Refusal `invalid`
 */
export function expectPlainPath(request: Request): void {
  if (isAmbiguous(request)) {
    throw invalid(
      "the path has a dot segment or a backslash, plain or percent-encoded: send it resolved, without . and .. parts",
    );
  }
}

/** How the caller reached the server, such as `http://127.0.0.1:2547`; empty where its `Host` is no plain host. */
export function originOf({ headers }: Request): string {
  const host = headers.get("Host") ?? "";
  const isPlain = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i.test(host);
  // A proxy in front that speaks TLS says so.
  const scheme = headers.get("X-Forwarded-Proto") === "https" ? "https" : "http";
  return isPlain && URL.canParse(`${scheme}://${host}`) ? `${scheme}://${host}` : "";
}

/**
 * The JSON object in a request's body.
 * @throws Refusal `invalid` as {@link readJson} does, and for JSON that is not an object
 */
export async function readJsonObject(request: Request): Promise<object> {
  const value = await readJson(request);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(`the body must be a JSON object; it is ${kindOf(value)}`);
  }
  return value;
}

/**
 * Holds a request to say that its body is JSON: no form of a page can.
 * @throws Refusal `invalid` for another content type
 */
export function expectJson(request: Request): void {
  const type = request.headers.get("Content-Type");
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type ?? "")) {
    throw invalid(`Content-Type must be application/json; ${type === null ? "there is none" : `it is ${shown(type)}`}`);
  }
}

/**
 * The JSON in a request's body.
 * @throws Refusal `invalid` for another content type, more than {@link MAX_BODY_BYTES}, or text that is not UTF-8 or not JSON
 */
export async function readJson(request: Request): Promise<unknown> {
  expectJson(request);
  let text = "";
  try {
    const bytes = await readBytes(request);
    text = LENIENT.decode(bytes);
    READ.set(request, text);
    if (text.includes("\u{FFFD}")) STRICT.decode(bytes);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") {
      throw invalid("the body ended before it was complete"); // and so has the connection
    }
    if (error instanceof SyntaxError || error instanceof TypeError) throw noJson(request, text, error);
    throw error;
  }
}

/** Names what came in the place of JSON, as far as it can be told. */
function noJson({ headers }: Request, text: string, error: SyntaxError | TypeError): Refusal {
  const encoding = headers.get("Content-Encoding");
  if (encoding !== null || text.startsWith(GZIP)) {
    return invalid(`the body is compressed (${encoding === null ? "gzip" : shown(encoding)}): send it plain`);
  }
  if (error instanceof TypeError) return invalid("the body is not UTF-8: send one JSON object in UTF-8");
  if (text === "") return invalid("the body is empty, which is not JSON: send one JSON object");
  if (text.startsWith("\u{FEFF}")) {
    return invalid("the body begins with a byte order mark, which is not JSON: send the JSON object without it");
  }
  return invalid(`the body is not JSON: send one JSON object${whatCame(text)}`);
}

/** The first two bytes of gzip, as they look when they are read as text. */
const GZIP = "\x1F\u{FFFD}";

const READ = new WeakMap<Request, string>();

/** What has been read of a request's body, as far as it is text, for whoever keeps a log of requests; null where nothing was. */
export function bodyRead(request: Request): string | null {
  return READ.get(request) ?? null;
}

const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });
const STRICT = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** The body, never holding more of it than allowed. */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => invalid(`the body is larger than ${MAX_BODY_BYTES} bytes`);
  const declared = request.headers.get("Content-Length");
  if (declared !== null) {
    if (Number(declared) > MAX_BODY_BYTES) throw tooLarge();
    return request.bytes();
  }
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
 * The parameters of a query string that an operation knows; others are ignored.
 * @throws Refusal `invalid` where one is given twice, or an escape is not UTF-8
 */
export function readQuery(query: string, known: readonly string[]): Record<string, string> {
  try {
    decodeURIComponent(query);
  } catch {
    throw invalid("the query string has an escape that is not UTF-8, such as a % that should be %25");
  }
  const given = new URLSearchParams(query);
  const parameters: Record<string, string> = {};
  for (const name of known) {
    const [value, ...more] = given.getAll(name);
    if (more.length > 0) throw invalid(`${name} is given twice: give it once`);
    if (value !== undefined) parameters[name] = value;
  }
  return parameters;
}
