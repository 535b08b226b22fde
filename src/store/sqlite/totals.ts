import type { Database } from "bun:sqlite";
import type { Summary, TransactionFilter } from "../../domain/filter.ts";
import { dayOf } from "../../domain/timestamp.ts";
import type { TransactionFacts } from "../../domain/transaction.ts";
import { EVER } from "../list-query.ts";
import { codeOfKind, codeOfStatus, DAY, type StatusSum, toSummary } from "../rows.ts";

/**
 * Counts and sums of transactions by (merchant, kind, status): by day, and by blocks of ids. The changes are added up here during
 * the writes of a commit, and written in the same commit.
 */

/** A block has 2^bits ids. A large block has {@link BLOCKS_IN_LARGE} small ones. A day has no bits. */
const DAY_BITS = 0;
export const BLOCK_BITS = 11;
export const LARGE_BLOCK_BITS = 17;
export const BLOCKS_IN_LARGE: number = 2 ** (LARGE_BLOCK_BITS - BLOCK_BITS);

/** The change of one day, and of one small block. */
interface Delta {
  readonly merchantId: number;
  readonly day: number;
  readonly block: number;
  readonly kind: number;
  readonly status: number;
  count: number;
  amountCents: number;
}

export type TotalsChange = ReturnType<typeof createTotalsChange>;

/** What one commit changes in the totals. */
export function createTotalsChange(client: Database) {
  const change = client.query(
    `UPDATE totals SET count = count + ?, amount_cents = amount_cents + ?
    WHERE merchant_id = ? AND bits = ? AND place = ? AND kind = ? AND status = ?`,
  );
  const begin = client.query(
    "INSERT INTO totals (count, amount_cents, merchant_id, bits, place, kind, status) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  // A commit has few of these, so a linear search is faster than a map with a text as its key.
  const deltas: Delta[] = [];

  return {
    /** Call it before the writes of a commit, which may run twice. */
    begin(): void {
      deltas.length = 0;
    },
    /** The transaction in the row `id` has this status now (1), or has left it (-1). */
    count(id: number, transaction: TransactionFacts, status: number, by: 1 | -1): void {
      const { merchantId, amountCents } = transaction;
      const kind = codeOfKind(transaction.kind);
      const [day, block] = [dayOf(transaction.createdAtMs), Math.floor(id / 2 ** BLOCK_BITS)];
      const known = deltas.find(
        (one) =>
          one.block === block &&
          one.day === day &&
          one.status === status &&
          one.kind === kind &&
          one.merchantId === merchantId,
      );
      const delta = known ?? { merchantId, day, block, kind, status, count: 0, amountCents: 0 };
      if (!known) deltas.push(delta);
      delta.count += by;
      delta.amountCents += by * amountCents;
    },
    /** Call it after the writes, in the same commit, and before the totals are read in it. */
    write(): void {
      for (const { merchantId, day, block, kind, status, count, amountCents } of deltas) {
        for (const [bits, place] of [
          [DAY_BITS, day],
          [BLOCK_BITS, block],
          [LARGE_BLOCK_BITS, Math.floor(block / BLOCKS_IN_LARGE)],
        ] as const) {
          const row = [count, amountCents, merchantId, bits, place, kind, status];
          if (change.run(...row).changes === 0) begin.run(...row);
        }
      }
      deltas.length = 0;
    },
  };
}

/** The summary of §2.4 by kind, status and days, from the totals of days, without reading transactions. */
export function createDaySummary(client: Database) {
  const select = client.query<StatusSum, [number, number, number, number | null, number | null]>(
    `SELECT status, sum(count) AS count, sum(amount_cents) AS amountCents FROM totals
    WHERE merchant_id = ? AND bits = ${DAY_BITS} AND place BETWEEN ? AND ? AND kind = coalesce(?, kind) AND status = coalesce(?, status)
    GROUP BY status`,
  );
  return (merchantId: number, filter: Pick<TransactionFilter, "kind" | "status" | "fromDay" | "toDay">): Summary => {
    const { kind, status, fromDay = EVER.first, toDay = EVER.last } = filter;
    const codes = [kind ? codeOfKind(kind) : null, status ? codeOfStatus(status) : null] as const;
    return toSummary(select.all(merchantId, fromDay, toDay, ...codes));
  };
}

const FULL_COUNT = [`${DAY_BITS}, ${DAY}`, ...[BLOCK_BITS, LARGE_BLOCK_BITS].map((bits) => `${bits}, id >> ${bits}`)]
  .map(
    (place) =>
      `SELECT merchant_id, ${place}, kind, status, count(*), sum(amount_cents) FROM transactions GROUP BY 1, 3, 4, 5`,
  )
  .join(" UNION ALL ");

/** Replaces the totals by a full count. Call it in a transaction. */
export function recount(client: Database): void {
  client.run("DELETE FROM totals");
  client.run(`INSERT INTO totals ${FULL_COUNT}`);
}

/** Whether the totals equal a full count. */
export function areTotalsTrue(client: Database): boolean {
  const differences = `WITH counted AS MATERIALIZED (${FULL_COUNT}),
      kept AS (SELECT * FROM totals WHERE count <> 0 OR amount_cents <> 0)
    SELECT EXISTS (SELECT * FROM kept EXCEPT SELECT * FROM counted) OR EXISTS (SELECT * FROM counted EXCEPT SELECT * FROM kept)`;
  return client.query(differences).values()[0]?.[0] === 0;
}
