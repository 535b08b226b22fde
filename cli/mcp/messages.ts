import { type Readable, Transform } from "node:stream";
import { kindOf, shown } from "../../src/domain/error.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { visible } from "../../src/domain/visible.ts";

/** The longest message, and the longest name in one. */
const MOST_BYTES = 1024 * 1024;
const LONGEST_NAME = 200;

/** The requests of an assistant that have no answer yet. */
export class OpenRequests {
  readonly #ids = new Set<unknown>();
  #onNone = () => {};

  /** A cancelled request gets no answer. */
  read({ id, method, params }: Members): void {
    if (method === "notifications/cancelled") this.end(Object(params).requestId);
    else if (method !== undefined && id !== undefined) this.#ids.add(id);
  }

  end(id: unknown): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#onNone();
  }

  whenNone(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNone = resolve;
      if (this.#ids.size === 0) resolve();
    });
  }
}

/**
 * The messages of an assistant, one on each line. The protocol's package says nothing about a line that is no message, and reads no
 * further after one that is too long.
 * @param refuse gets the answer to such a line
 * @param beforeEnd delays the end of the messages, at which the package ends, too
 */
export function messagesOf(
  input: Readable,
  requests: OpenRequests,
  refuse: (answer: string) => void,
  beforeEnd: () => Promise<unknown>,
): Readable {
  let parts: Buffer[] = [];
  let bytes = 0;
  function add(part: Buffer) {
    bytes += part.length;
    if (bytes <= MOST_BYTES) parts.push(part);
    else parts = [];
  }
  function end(lines: Transform) {
    const line = Buffer.concat(parts).toString();
    // Undefined if it is not JSON.
    const [message] = readOrNull(() => [JSON.parse(line) as unknown]) ?? [];
    const problem =
      bytes > MOST_BYTES
        ? { id: null, code: -32_600, message: `a message must have at most ${MOST_BYTES} bytes; it has ${bytes}` }
        : problemIn(message, line);
    if (problem === null) {
      requests.read(message as Members);
      lines.push(`${line}\n`);
    } else if (bytes > 0) {
      const { id, ...error } = problem;
      refuse(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
    }
    [parts, bytes] = [[], 0];
  }
  return input.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        let from = 0;
        for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", from)) {
          add(chunk.subarray(from, at));
          end(this);
          from = at + 1;
        }
        add(chunk.subarray(from));
        done();
      },
      flush(done) {
        end(this); // the last line may have no line break
        void beforeEnd().then(() => done());
      },
    }),
  );
}

/** What is wrong with a number that JavaScript rounds: no refusal or answer would name what came. */
function roundedIn(line: string): string | null {
  let found: string | null = null;
  function read(name: string, value: unknown, context?: { readonly source: string }) {
    if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
      found ??= `a number must be at most ${Number.MAX_SAFE_INTEGER}; ${name} is ${shown(value, context?.source)}`;
    return value;
  }
  try {
    JSON.parse(line, read);
    return found;
  } catch {
    // The line was parsed before, without a function, which takes more of the stack.
    return "arguments must not have thousands of objects in one another";
  }
}

/** The error of JSON-RPC that answers a line; null for a message. */
function problemIn(message: unknown, line: string) {
  if (message === undefined) return { id: null, code: -32_700, message: "a line is not JSON" };
  const { jsonrpc, id, method, params = {}, result, error } = Object(message) as Members;
  const isRequest = typeof method === "string" && (id === undefined || isId(id));
  const isResponse = method === undefined && isId(id) && (isObject(result) || isFailure(error));
  if (jsonrpc !== "2.0" || !(isRequest || isResponse)) {
    return { id: isId(id) ? id : null, code: -32_600, message: "a line is not one message of JSON-RPC 2.0" };
  }
  const refusal = (message: string) => ({ id: id ?? null, code: -32_602, message });
  const noObject = (what: string, value: unknown) => refusal(`${what} must be an object; it is ${kindOf(value)}`);
  if (!isObject(params)) return noObject("params", params);
  const { _meta = {}, arguments: given = {} } = params;
  if (!isObject(_meta)) return noObject("_meta", _meta);
  const needed = NEEDED.get(String(method));
  for (const member of NAMES) {
    const name = member === "method" ? method : params[member];
    if (name === undefined && member === needed) return refusal(`${member} is missing`);
    if (name === undefined) continue;
    if (typeof name !== "string") return refusal(`${member} must be a string; it is ${kindOf(name)}`);
    // An unknown one is repeated in the answer.
    if (name.length > LONGEST_NAME || visible(name) !== name)
      return refusal(`a name must have at most ${LONGEST_NAME} visible characters`);
    // The protocol's package would find it in each object.
    if (name in Object.prototype) return refusal(`nothing has the name ${name}`);
  }
  if (!isObject(given)) return noObject("arguments", given);
  const rounded = roundedIn(line);
  return rounded === null ? null : refusal(rounded);
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isId = (id: unknown) => typeof id === "string" || Number.isSafeInteger(id);
const isFailure = (error: unknown) =>
  isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === "string";

const NAMES = ["method", "name", "uri", "cursor"] as const;
/** The name that a method cannot do without. */
const NEEDED = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);
