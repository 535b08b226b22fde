import { type Readable, Transform } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { sleep } from "../../src/system.ts";

/** The longest message. */
const MOST_BYTES = 1024 * 1024;

/** A transport that knows which requests have no answer yet. The protocol's package leaves them without one when its input ends. */
export class Transport extends StdioServerTransport {
  readonly #open = new Set<unknown>();
  #onNone = () => {};

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    this.onmessage = (message) => {
      this.#read(message);
      deliver?.(message);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!("method" in message)) this.#end(message.id);
  }

  whenAllAreAnswered(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNone = resolve;
      if (this.#open.size === 0) resolve();
    });
  }

  #read(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#open.add(message.id);
    // A cancelled request gets no answer.
    else if (message.method === "notifications/cancelled") this.#end(message.params?.requestId);
  }

  #end(id: unknown): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onNone();
  }
}

/**
 * The messages of an assistant, one on each line. The protocol's package reads no further after a line that is too long: here such a
 * line is refused, and the next one is read.
 * @param refuse gets the answer to such a line
 * @param beforeEnd delays the end of the messages, at which the package ends, too
 */
export function messagesOf(
  input: Readable,
  refuse: (answer: string) => void,
  beforeEnd: () => Promise<unknown>,
): Readable {
  let parts: Buffer[] = [];
  let bytes = 0;
  function add(part: Buffer): void {
    bytes += part.length;
    if (bytes <= MOST_BYTES) parts.push(part);
    else parts = [];
  }
  function end(lines: Transform): void {
    if (bytes > MOST_BYTES) refuse(refusalOf(bytes));
    else if (bytes > 0) lines.push(`${Buffer.concat(parts)}\n`);
    parts = [];
    bytes = 0;
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
        // When the package has read it.
        void sleep(0)
          .then(beforeEnd)
          .then(() => done());
      },
    }),
  );
}

function refusalOf(bytes: number): string {
  const message = `a message must have at most ${MOST_BYTES} bytes; it has ${bytes}`;
  return `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_600, message } })}\n`;
}
