import { createRequestIds, type RequestIds } from "../../domain/identifiers.ts";
import type { EngineSql } from "./sql.ts";

/** How many numbers a process gets with each value of the sequence. */
export const BLOCK = 1000;

/** How many blocks a process remembers. */
const MOST_REMEMBERED = 1000;

/** The numbers of transactions. They rise within a replica; between two replicas they show no order. */
export interface Numbering {
  readonly requestIds: RequestIds;
  /** A number that no transaction of this database has or had. */
  next(): Promise<number>;
  /** Whether this process gave the number, as far as it remembers. */
  readonly isOwn: (id: number) => boolean;
}

export async function openNumbering({ read }: EngineSql): Promise<Numbering> {
  const [row] = await read<{ key: string }>("SELECT encode(request_id_key, 'hex') AS key FROM numbering");
  let next = 1;
  let last = 0;
  /** The first number of the block after this one. It is fetched early, so that no payment waits for it. */
  let ahead: Promise<number> | null = null;

  const own = new Set<number>();

  /** A read, because it may run twice: if an answer is lost, the numbers of that block stay unused. */
  async function takeBlock(): Promise<number> {
    const [taken] = await read<{ first: number }>("SELECT nextval('transaction_numbers')::float8 AS first");
    if (!taken) throw new Error("the sequence has no value");
    return taken.first;
  }

  function fetchAhead(): Promise<number> {
    if (ahead) return ahead;
    ahead = takeBlock();
    ahead.catch(() => {
      ahead = null;
    });
    return ahead;
  }

  return {
    requestIds: createRequestIds(Buffer.from(row?.key ?? "", "hex")),
    async next(): Promise<number> {
      while (next > last) {
        const fetched = fetchAhead();
        const first = await fetched;
        // The first caller that waited for the block makes it the current one.
        if (ahead !== fetched) continue;
        ahead = null;
        next = first;
        last = first + BLOCK - 1;
        if (own.size === MOST_REMEMBERED) own.clear();
        own.add(blockOf(first));
      }
      const number = next;
      next += 1;
      if (last - next < BLOCK / 2) void fetchAhead().catch(() => {}); // a caller that needs the block gets the error
      return number;
    },
    isOwn: (id: number) => own.has(blockOf(id)),
  };
}

const blockOf = (id: number) => Math.floor((id - 1) / BLOCK);
