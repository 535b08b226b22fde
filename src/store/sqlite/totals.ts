import type { Database } from "bun:sqlite";
import type { Summary, TransactionFilter } from "../../domain/filter.ts";
import { once } from "../../domain/once.ts";
import { dayOf } from "../../domain/timestamp.ts";
import { EVER } from "../list-query.ts";
import { codeOfKind, codeOfStatus, type StatusSum, toSummary } from "../rows.ts";

/**
 * Counts of transactions by (merchant, kind, status): by day, with sums, and by blocks of numbers. They are added up here during
 * the writes of a commit, and written in the same commit.
 */

/** A block has 2^bits numbers. A great block has {@link BLOCKS_IN_ONE} small ones. */
export const BLOCK_BITS = 11;
export const GREAT_BLOCK_BITS = 17;
export const BLOCKS_IN_ONE: number = 2 ** (GREAT_BLOCK_BITS - BLOCK_BITS);

const blockOf = (id: number): number => Math.floor(id / 2 ** BLOCK_BITS);

/** The columns that decide where a row is counted; kind and status are codes. */
export interface Counted {
  readonly id: number;
  readonly merchantId: number;
  readonly kind: number;
  readonly createdAtMs: number;
  readonly amountCents: number;
}

/** What one commit changes in the totals. */
export interface TotalsChange {
  /** Call it before the writes of a commit, which may run twice. */
  begin(): void;
  /** A row has this status now. */
  add(row: Counted, status: number): void;
  /** A row has left this status. */
  remove(row: Counted, status: number): void;
  /** Call it after the writes, in the same commit. */
  write(): void;
}

/** The change of one day and one block. */
interface Delta {
  readonly merchantId: number;
  readonly day: number;
  readonly block: number;
  readonly kind: number;
  readonly status: number;
  count: number;
  amountCents: number;
}

export function createTotalsChange(client: Database): TotalsChange {
  // Prepared at the first use, as in transactions.ts.
  const statements = once(() => prepare(client));
  // A commit has few of these, so a linear search is faster than a map with a text as its key.
  const added: Delta[] = [];
  const removed: Delta[] = [];

  function count(deltas: Delta[], row: Counted, status: number): void {
    const { merchantId, kind, createdAtMs, amountCents } = row;
    const [day, block] = [dayOf(createdAtMs), blockOf(row.id)];
    const known = deltas.find(
      (delta) =>
        delta.block === block &&
        delta.day === day &&
        delta.status === status &&
        delta.kind === kind &&
        delta.merchantId === merchantId,
    );
    if (!known) {
      deltas.push({ merchantId, day, block, kind, status, count: 1, amountCents });
      return;
    }
    known.count += 1;
    known.amountCents += amountCents;
  }

  return {
    begin() {
      added.length = 0;
      removed.length = 0;
    },
    add: (row, status) => count(added, row, status),
    remove: (row, status) => count(removed, row, status),
    write() {
      // Add first, because a payment can start and end in one commit: a count must not fall below zero.
      for (const { merchantId, day, block, kind, status, count, amountCents } of added) {
        statements().addToDay.run(merchantId, day, kind, status, count, amountCents);
        for (const [bits, place] of blocksOf(block)) {
          statements().addToBlock.run(merchantId, bits, place, kind, status, count);
        }
      }
      for (const { merchantId, day, block, kind, status, count, amountCents } of removed) {
        statements().removeFromDay.run(count, amountCents, merchantId, day, kind, status);
        for (const [bits, place] of blocksOf(block)) {
          statements().removeFromBlock.run(count, merchantId, bits, place, kind, status);
        }
      }
    },
  };
}

const blocksOf = (block: number) =>
  [
    [BLOCK_BITS, block],
    [GREAT_BLOCK_BITS, Math.floor(block / BLOCKS_IN_ONE)],
  ] as const;

function prepare(client: Database) {
  return {
    addToDay: client.query(
      `INSERT INTO day_totals VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count, amount_cents = amount_cents + excluded.amount_cents`,
    ),
    addToBlock: client.query(
      `INSERT INTO block_totals VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    ),
    removeFromDay: client.query(
      `UPDATE day_totals SET count = count - ?, amount_cents = amount_cents - ?
      WHERE merchant_id = ? AND day = ? AND kind = ? AND status = ?`,
    ),
    removeFromBlock: client.query(
      `UPDATE block_totals SET count = count - ?
      WHERE merchant_id = ? AND bits = ? AND block = ? AND kind = ? AND status = ?`,
    ),
  };
}

/** The summary of §2.4 by kind, status and days, from the totals of days, without reading transactions. */
export function createDaySummary(client: Database) {
  const select = once(() =>
    client.query<StatusSum, [number, number, number, number | null, number | null]>(
      `SELECT status, sum(count) AS count, sum(amount_cents) AS amountCents FROM day_totals
    WHERE merchant_id = ? AND day BETWEEN ? AND ? AND kind = coalesce(?, kind) AND status = coalesce(?, status)
    GROUP BY status`,
    ),
  );
  return (merchantId: number, filter: Omit<TransactionFilter, "search" | "id">): Summary => {
    const { kind, status, fromDay = EVER.first, toDay = EVER.last } = filter;
    const codes = [kind ? codeOfKind(kind) : null, status ? codeOfStatus(status) : null] as const;
    return toSummary(select().all(merchantId, fromDay, toDay, ...codes));
  };
}

/** The full count for each table, with its columns. */
const FULL_COUNTS = {
  day_totals: `SELECT merchant_id, (created_at_ms + 10800000) / 86400000, kind, status, count(*), sum(amount_cents)
    FROM transactions GROUP BY 1, 2, 3, 4`,
  block_totals: [BLOCK_BITS, GREAT_BLOCK_BITS]
    .map(
      (bits) =>
        `SELECT merchant_id, ${bits}, id >> ${bits}, kind, status, count(*) FROM transactions GROUP BY 1, 3, 4, 5`,
    )
    .join(" UNION ALL "),
};

/** Replaces the totals by a full count. Call it in a transaction. */
export function recount(client: Database): void {
  for (const [table, counts] of Object.entries(FULL_COUNTS)) {
    client.run(`DELETE FROM ${table}`);
    client.run(`INSERT INTO ${table} ${counts}`);
  }
}

/** Whether the totals equal a full count. */
export function areTotalsTrue(client: Database): boolean {
  const differences = Object.entries(FULL_COUNTS).map(([table, counts]) => {
    const kept = `SELECT * FROM ${table} WHERE count <> 0`;
    return `EXISTS (${kept} EXCEPT SELECT * FROM (${counts})) OR EXISTS (SELECT * FROM (${counts}) EXCEPT ${kept})`;
  });
  return client.query(`SELECT ${differences.join(" OR ")}`).values()[0]?.[0] === 0;
}
