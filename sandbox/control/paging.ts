import type { z } from "zod";
import { type Clock, pause } from "../../src/domain/clock.ts";
import { counted } from "../../src/domain/counted.ts";
import { createMutex } from "../../src/domain/mutex.ts";
import { type Reply, succeedWithList } from "../../src/http/reply.ts";
import { CONTROL_PATH } from "./context.ts";
import type { pageQuery } from "./input.ts";

/**
 * Writes long lists in several turns of the event loop, so that they block no other request. Some have pages with a bound in bytes.
 */

/** 64 pages of this size may wait for slow readers, see src/http/reply.ts. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/**
 * Writes the entries of a page: at least one, and no more than requested or than fit into {@link MAX_PAGE_BYTES}.
 * @param all oldest first
 * @returns the entries, oldest first, and the parameter for the next page in the same direction; null at the end
 */
export async function writePage<T extends { readonly id: number }>(
  all: readonly T[],
  { after, before, limit }: z.output<typeof pageQuery>,
  realClock: Clock,
  write: (entry: T) => string,
) {
  const asked =
    after === undefined
      ? all.filter(({ id }) => before === undefined || id < before).reverse()
      : all.filter(({ id }) => id > after);
  const texts = await writeTexts(asked.slice(0, limit), realClock, write, MAX_PAGE_BYTES);
  const last = asked[texts.length - 1];
  const hasMore = texts.length < asked.length;
  if (after === undefined) texts.reverse();
  return { texts, more: last && hasMore ? beyond(last.id, after) : null };
}

const beyond = (id: number, after: number | undefined): More => (after === undefined ? { before: id } : { after: id });

type More = { readonly before: number } | { readonly after: number };

/** What an answer says of its next page. @param parameters the others of its address */
export function nextPage(more: More | null, path: string, parameters: string) {
  if (more === null) return { next: null };
  const query = Object.entries(more).map(([name, id]) => `${name}=${id}`);
  return { next: `${CONTROL_PATH}${path}?${query}&${parameters}`, more };
}

/** The answer with a list, which is written in several turns. @param what its entries are, such as `key` */
export async function replyWithList<T>(
  name: string,
  what: string,
  entries: readonly T[],
  realClock: Clock,
  view: (entry: T) => object | Promise<object>,
  members = {},
): Promise<Reply> {
  const texts = await writeTexts(entries, realClock, async (entry) => JSON.stringify(await view(entry)));
  return succeedWithList(counted(texts.length, what), members, name, texts);
}

/** After this many entries or bytes, other work has its turn. */
const ENTRIES_A_TURN = 200;
const BYTES_A_TURN = 200 * 1024;

/** One list after another, so that many clients that ask at once do not fill the memory. */
const { run: inTurn } = createMutex();

/** Writes the first entries, as many as fit into the bytes, and at least one. */
export const writeTexts = <T>(...given: Parameters<typeof writeAll<T>>): Promise<string[]> =>
  inTurn(() => writeAll(...given));

async function writeAll<T>(
  entries: readonly T[],
  realClock: Clock,
  write: (entry: T) => string | Promise<string>,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const texts: string[] = [];
  let bytes = 0;
  let turnAt = { entries: ENTRIES_A_TURN, bytes: BYTES_A_TURN };
  for (const entry of entries) {
    const text = await write(entry);
    bytes += Buffer.byteLength(text);
    if (bytes > mostBytes && texts.length > 0) break;
    texts.push(text);
    if (texts.length < turnAt.entries && bytes < turnAt.bytes) continue;
    await pause(realClock, 0); // other work has its turn
    turnAt = { entries: texts.length + ENTRIES_A_TURN, bytes: bytes + BYTES_A_TURN };
  }
  return texts;
}
