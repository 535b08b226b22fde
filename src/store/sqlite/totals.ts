import type { Database } from "bun:sqlite";
import { dayOf } from "../../domain/timestamp.ts";
import type { TransactionFacts } from "../../domain/transaction.ts";
import { codeOfKind } from "../rows.ts";
import { DIFFER, FULL_COUNT } from "../totals.ts";

/**
 * Counts and sums of transactions by merchant, day, kind and status. The changes are added up here during the writes of a commit, and
 * written in the same commit.
 */

interface Delta {
  readonly merchantId: number;
  readonly day: number;
  readonly kind: number;
  readonly status: number;
  count: number;
  amountCents: number;
}

export interface TotalsChange {
  /** Drops what is not written yet. Call it before the writes of a commit, which may run twice. */
  discard(): void;
  /** The transaction has this status now (1), or has left it (-1). */
  count(transaction: TransactionFacts, status: number, by: 1 | -1): void;
  /** Call it after the writes, in the same commit, and before the totals are read in it. */
  write(): void;
}

/** What one commit changes in the totals. */
export function createTotalsChange(client: Database): TotalsChange {
  const change = client.query<never, number[]>(
    `UPDATE day_totals SET count = count + ?, amount_cents = amount_cents + ?
    WHERE merchant_id = ? AND day = ? AND kind = ? AND status = ?`,
  );
  const insert = client.query<never, number[]>(
    "INSERT INTO day_totals (count, amount_cents, merchant_id, day, kind, status) VALUES (?, ?, ?, ?, ?, ?)",
  );
  // A commit has few of these, so a linear search is faster than a map with a text as its key.
  const deltas: Delta[] = [];

  return {
    discard() {
      deltas.length = 0;
    },
    count(transaction, status, by) {
      const { merchantId, amountCents } = transaction;
      const kind = codeOfKind(transaction.kind);
      const day = dayOf(transaction.createdAtMs);
      const known = deltas.find(
        (one) => one.day === day && one.status === status && one.kind === kind && one.merchantId === merchantId,
      );
      const delta = known ?? { merchantId, day, kind, status, count: 0, amountCents: 0 };
      if (!known) deltas.push(delta);
      delta.count += by;
      delta.amountCents += by * amountCents;
    },
    write() {
      for (const { merchantId, day, kind, status, count, amountCents } of deltas) {
        const row = [count, amountCents, merchantId, day, kind, status];
        if (change.run(...row).changes === 0) insert.run(...row);
      }
      deltas.length = 0;
    },
  };
}

/** Replaces the totals by a full count. Call it in a transaction. */
export function recount(client: Database): void {
  client.run("DELETE FROM day_totals");
  client.run(`INSERT INTO day_totals ${FULL_COUNT}`);
}

/** Whether the totals equal a full count. */
export const areTotalsTrue = (client: Database): boolean => client.query(DIFFER).values()[0]?.[0] === 0;
