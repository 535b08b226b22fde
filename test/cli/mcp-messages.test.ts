import { expect, test } from "bun:test";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { messagesOf } from "../../cli/mcp/messages.ts";

/** The lines of `momo mcp`, before the protocol's package reads them. */

const MOST_BYTES = 1024 * 1024;

async function read(chunks: readonly Buffer[]) {
  const refused: number[] = [];
  const refuse = (answer: string) => void refused.push(Number(/it has (\d+)/.exec(answer)?.[1]));
  const passed = await text(messagesOf(Readable.from(chunks, { objectMode: false }), refuse, async () => {}));
  return { passed, refused };
}

/** Cuts bytes at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

const line = fc.oneof(
  fc.string({ unit: "grapheme" }).map((drawn) => drawn.replaceAll("\n", " ")),
  fc.integer({ min: -2, max: 2 }).map((more) => "x".repeat(MOST_BYTES + more)),
);

test("however the input is cut, each line passes whole, an empty one not at all, and one that is too long is refused with its size", () =>
  fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 20 }), async (lines, places) => {
      const { passed, refused } = await read(cut(Buffer.from(lines.join("\n")), places));
      const sizes = lines.map((one) => Buffer.byteLength(one));
      expect(passed).toBe(
        lines
          .filter((one, index) => one !== "" && (sizes[index] ?? 0) <= MOST_BYTES)
          .map((one) => `${one}\n`)
          .join(""),
      );
      expect(refused).toEqual(sizes.filter((size) => size > MOST_BYTES));
    }),
    { numRuns: 20 },
  ));
