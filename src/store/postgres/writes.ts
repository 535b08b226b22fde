import type { PendingTransaction, Transaction } from "../../domain/transaction.ts";
import type { Query } from "../query.ts";
import { type Change, type TransactionRow, toChange, toNewRow } from "../rows.ts";
import type { Meter } from "../vitals.ts";
import type { Attempts } from "./attempts.ts";
import type { Connection } from "./connections.ts";
import type { Deliveries } from "./deliveries.ts";
import { isRefusedValue, OutcomeUnknown } from "./failures.ts";
import { createGroup } from "./group.ts";
import * as rows from "./rows.ts";

export type Writes = ReturnType<typeof createWrites>;

export interface WritesParts {
  readonly attempts: Attempts;
  readonly meter: Meter;
  readonly stopwatch: () => number;
  /** Outcomes whose write had no answer until its deadline. They are written again until it is known whether they are stored. */
  readonly unsettled: Map<number, Transaction>;
  /** The name of the replica: each lane counts in its own shard, so that no commit waits for another. */
  readonly replica: string;
  readonly deliveries: Deliveries;
}

/** How many statements insert at once. Writes that arrive while they run share the next one. */
const LANES = 2;

export const INSERT = "SELECT momo_insert($1, $2) AS ids";
const RECORD = "SELECT momo_record($1, $2, $3) AS ids";

// The lock makes this commit wait for the standby, too: a row of an earlier attempt can be visible before the standby has it.
const LOCKED_ROWS = `SELECT ${rows.ROW} FROM transactions WHERE id = ANY($1::text::bigint[]) ORDER BY id FOR KEY SHARE`;

/** Group commit: the payments of a turn are one statement, and so are the outcomes. */
export function createWrites(parts: WritesParts) {
  const { attempts } = parts;
  return {
    inserts: createGroup<PendingTransaction, true>({
      attempts,
      lanes: LANES,
      run: (items, lane) => splitting(items, (some) => insert(parts, some, `${parts.replica}/i${lane}`)),
    }),
    /**
     * Outcomes of one call, which are written together or not at all; resolves with those that were still pending. They are
     * answers by hand and late ones: what is due is written by its claim.
     */
    outcomes: createGroup<readonly Transaction[], Transaction[]>({
      attempts,
      lanes: 1,
      keysOf: (outcomes) => outcomes.map(({ id }) => id),
      run: (calls) => splitting(calls, (some) => record(parts, some, `${parts.replica}/o0`)),
    }),
  };
}

/** If the engine refuses one of the items, runs them one by one, so that it does not fail the others. */
async function splitting<Item, Result>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
): Promise<readonly (Result | Error)[]> {
  try {
    return await run(items);
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    if (items.length === 1) return [error as Error];
    const results: (Result | Error)[] = [];
    for (const item of items) results.push(...(await splitting([item], run)));
    return results;
  }
}

async function insert(parts: WritesParts, items: readonly PendingTransaction[], shard: string) {
  const news = items.map(toNewRow);
  const json = JSON.stringify(news.map(rows.toRow));
  const written = await commit(parts, items.length, async ({ query }, mayBeWritten) => {
    const ids = await idsOf(query, INSERT, [json, shard]);
    if (!mayBeWritten || ids.size === items.length) return ids;
    const missing = news.filter(({ id }) => !ids.has(id));
    const found = await lockedRows(query, missing);
    for (const { id, secret } of missing) if (found.get(id)?.secret === secret) ids.add(id);
    return ids;
  });
  return items.map(({ id }) =>
    // Of two items with the same number, the first is stored.
    written.delete(id) ? (true as const) : new Error(`UNIQUE constraint failed: there is a transaction ${id}`),
  );
}

async function record(parts: WritesParts, calls: readonly (readonly Transaction[])[], shard: string) {
  const changed = await writeOutcomes(parts, calls.flat(), shard, false);
  return calls.map((outcomes) => outcomes.filter(({ id }) => changed.has(id)));
}

/**
 * Writes outcomes, each where its transaction is still pending.
 * @param mayBeWritten whether a statement without an answer may have written them
 * @returns the ids of the rows that this replica changed
 */
export async function writeOutcomes(
  parts: WritesParts,
  outcomes: readonly Transaction[],
  shard: string,
  mayBeWritten: boolean,
): Promise<Set<number>> {
  const changes = outcomes.map(toChange);
  const send = async ({ query }: Connection, isRepeated: boolean) => {
    const ids = await updateRows(parts, query, changes, shard);
    if (!isRepeated || ids.size === changes.length) return ids;
    const others = changes.filter(({ id }) => !ids.has(id));
    const found = await lockedRows(query, others);
    for (const change of others) {
      const row = found.get(change.id);
      if (row && rows.isChanged(row, change)) ids.add(change.id);
    }
    return ids;
  };
  const { unsettled } = parts;
  const areUnsettled = outcomes.some(({ id }) => unsettled.has(id));
  try {
    const ids = await commit(parts, outcomes.length, send, mayBeWritten || areUnsettled);
    for (const { id } of outcomes) unsettled.delete(id);
    return ids;
  } catch (error) {
    if (error instanceof OutcomeUnknown) for (const outcome of outcomes) unsettled.set(outcome.id, outcome);
    else if (outcomes.length === 1 && isRefusedValue(error)) unsettled.delete(outcomes[0]?.id ?? 0);
    throw error;
  }
}

/** @returns the ids of the rows that were still pending */
export function updateRows(
  { deliveries }: Pick<WritesParts, "deliveries">,
  query: Query,
  changes: readonly Change[],
  shard: string,
): Promise<Set<number>> {
  return idsOf(query, RECORD, [JSON.stringify(changes.map(rows.toRow)), shard, deliveries.planned()]);
}

async function commit<T>(
  { attempts, meter, stopwatch }: WritesParts,
  count: number,
  work: (connection: Connection, mayBeWritten: boolean) => Promise<T>,
  mayBeWritten = false,
): Promise<T> {
  const startMs = stopwatch();
  const result = await attempts.writing(work, { mayBeWritten });
  meter.committed(count, startMs, stopwatch());
  return result;
}

async function idsOf(query: Query, text: string, parameters: readonly unknown[]): Promise<Set<number>> {
  const [row] = await query<{ ids: string | null }>(text, parameters);
  return new Set(row?.ids?.split(",").map(Number) ?? []);
}

async function lockedRows(query: Query, of: readonly { readonly id: number }[]): Promise<Map<number, TransactionRow>> {
  const found = await query<TransactionRow>(LOCKED_ROWS, [rows.numbers(of.map(({ id }) => id))]);
  return new Map(found.map((row) => [row.id, row]));
}
