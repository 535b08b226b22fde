import { type Readable, Transform } from "node:stream";
import { kindOf } from "../../src/domain/error.ts";
import { visible } from "../../src/domain/visible.ts";

/** The longest message, and the longest name in one. */
const MOST_BYTES = 1024 * 1024;
const LONGEST_NAME = 200;

/** An error of JSON-RPC. */
interface Problem {
  readonly id: unknown;
  readonly code: number;
  readonly message: string;
}

/**
 * The messages of an assistant, one on each line. The protocol's package says nothing about a line that is no message, and reads no
 * further after one that is too long.
 * @param refuse gets the answer to such a line
 */
export function messagesOf(input: Readable, refuse: (answer: string) => void): Readable {
  let parts: Buffer[] = [];
  let bytes = 0;
  function add(part: Buffer) {
    bytes += part.length;
    if (bytes <= MOST_BYTES) parts.push(part);
    else parts = [];
  }
  function end(lines: Transform) {
    const line = Buffer.concat(parts).toString();
    const problem =
      bytes > MOST_BYTES
        ? { id: null, code: -32_600, message: `a message must have at most ${MOST_BYTES} bytes; it has ${bytes}` }
        : problemIn(line);
    if (problem === null) lines.push(`${line}\n`);
    else if (bytes > 0) {
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
    }),
  );
}

function problemIn(line: string): Problem | null {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { id: null, code: -32_700, message: "a line is not JSON" };
  }
  const { jsonrpc, id, method, params } = Object(message) as Record<string, unknown>;
  if (jsonrpc !== "2.0" || (typeof method !== "string" && id === undefined)) {
    return { id: null, code: -32_600, message: "a line is not one message of JSON-RPC 2.0" };
  }
  // An unknown one is repeated in the answer.
  const { name, uri, arguments: given = {} } = Object(params) as Record<string, unknown>;
  const isName = (text: unknown) => String(text).length <= LONGEST_NAME && visible(String(text)) === String(text);
  const refusal = (message: string) => ({ id: id ?? null, code: -32_602, message });
  if (![method, name, uri].every(isName)) return refusal(`a name must have at most ${LONGEST_NAME} visible characters`);
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return null;
  return refusal(`arguments must be an object; it is ${kindOf(given)}`);
}
