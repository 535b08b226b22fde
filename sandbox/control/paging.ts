import type { Clock } from "../../src/domain/clock.ts";
import { invalid } from "../../src/domain/error.ts";
import { whatCame } from "../../src/domain/what-came.ts";
import { readQuery } from "../../src/http/request.ts";
import { nextTurn } from "./next-turn.ts";

/** Long lists: written out turn by turn, so that nobody else waits for them; some come in pages that are bounded in bytes. */

const MAX_LIMIT = 1000;

/** A hundred slow readers of so much are no burden. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** What a caller asks for: those after an id, the oldest first; or those before one, by default the newest of all. */
export interface PageQuery {
  readonly after: number | null;
  readonly before: number | null;
  readonly limit: number;
}

/** @throws Refusal `invalid` for what is no id and no limit, and for both directions at once */
export function readPageQuery(query: string): PageQuery {
  const { after, before, limit } = readQuery(query, ["after", "before", "limit"]);
  if (after !== undefined && before !== undefined) throw invalid("give after or before, not both");
  const size = limit === undefined ? MAX_LIMIT : Number(limit);
  if (limit !== undefined && (!/^[1-9][0-9]{0,3}$/.test(limit) || size > MAX_LIMIT)) {
    throw invalid(`limit must be a whole number from 1 to ${MAX_LIMIT}${whatCame(limit)}`);
  }
  return { after: readId("after", after), before: readId("before", before), limit: size };
}

function readId(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[0-9]{1,15}$/.test(text)) throw invalid(`${name} must be a whole number, the id of an entry${whatCame(text)}`);
  return Number(text);
}

export interface WrittenPage {
  /** Oldest first. */
  readonly texts: readonly string[];
  /** The parameter that brings the page after this one, in the direction that was asked for; null at the end. */
  readonly next: string | null;
}

/**
 * The entries of a page, written out: as many as were asked for and fit into {@link MAX_PAGE_BYTES}, and at least one.
 * @param all oldest first
 */
export async function writePage<T extends { readonly id: number }>(
  all: readonly T[],
  { after, before, limit }: PageQuery,
  realClock: Clock,
  write: (entry: T) => string,
): Promise<WrittenPage> {
  const asked =
    after === null
      ? all.filter(({ id }) => before === null || id < before).reverse()
      : all.filter(({ id }) => id > after);
  const texts = await writeWhatFits(asked.slice(0, limit), realClock, write);
  const last = asked[texts.length - 1];
  const hasMore = texts.length < asked.length;
  if (after === null) texts.reverse();
  return { texts, next: last && hasMore ? `${after === null ? "before" : "after"}=${last.id}` : null };
}

/** The first of these, as far as they fit into {@link MAX_PAGE_BYTES}; at least one. */
export const writeWhatFits = <T>(entries: readonly T[], realClock: Clock, write: Write<T>) =>
  writeUpTo(MAX_PAGE_BYTES, entries, realClock, write);

/** All of these. */
export const writeAll = <T>(entries: readonly T[], realClock: Clock, write: Write<T>) =>
  writeUpTo(Number.POSITIVE_INFINITY, entries, realClock, write);

type Write<T> = (entry: T) => string | Promise<string>;

/** After so many entries, or so many bytes, others have their turn. */
const ENTRIES_A_TURN = 200;
const BYTES_A_TURN = 200 * 1024;

async function writeUpTo<T>(
  mostBytes: number,
  entries: readonly T[],
  realClock: Clock,
  write: Write<T>,
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
    await nextTurn(realClock);
    turnAt = { entries: texts.length + ENTRIES_A_TURN, bytes: bytes + BYTES_A_TURN };
  }
  return texts;
}
