import { assert } from "../domain/assert.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryStore,
  MAX_DELIVERIES,
  type PlannedDelivery,
} from "../domain/delivery.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Sql } from "./query.ts";
import type { TransactionRow } from "./rows.ts";

/** What both engines do with deliveries in the same way. How one is claimed and saved is theirs. */

/** A delivery and its transaction. */
export interface DeliveryRow extends TransactionRow {
  readonly delivery_id: number;
  readonly form: string;
  readonly ended_at_ms: number;
  readonly due_at_ms: number | null;
  readonly attempts: string;
  readonly resend_of: number | null;
}

const DELIVERY_COLUMNS = `delivery_id::float8 AS delivery_id, form, ended_at_ms::float8 AS ended_at_ms, due_at_ms::float8 AS due_at_ms,
  attempts, resend_of::float8 AS resend_of`;

/** How many deliveries one statement ends or removes, because millions can wait. */
const AT_ONCE = 5000;

/** It counts rows, because ids have gaps: PostgreSQL does not give an id again whose commit failed. */
export const REMOVE_OLD = `DELETE FROM deliveries WHERE delivery_id IN (
    SELECT delivery_id FROM deliveries WHERE due_at_ms IS NULL
    AND delivery_id < (SELECT delivery_id FROM deliveries ORDER BY delivery_id DESC LIMIT 1 OFFSET ${MAX_DELIVERIES - 1})
    LIMIT ${AT_ONCE}
  ) RETURNING 1`;
const GIVE_UP = `UPDATE deliveries SET due_at_ms = NULL WHERE delivery_id IN (
    SELECT delivery_id FROM deliveries WHERE due_at_ms IS NOT NULL LIMIT ${AT_ONCE}
  ) RETURNING 1`;
const RESEND = `INSERT INTO deliveries (transaction_id, form, ended_at_ms, due_at_ms, resend_of)
  SELECT transaction_id, form, ended_at_ms, $1::bigint, delivery_id FROM deliveries WHERE delivery_id = $2::bigint
  RETURNING delivery_id::float8 AS id`;
/** One that is due may be under way: its attempt is stored. */
const END_WAITING =
  "UPDATE deliveries SET due_at_ms = NULL WHERE delivery_id = $1::bigint AND due_at_ms > $2::bigint RETURNING 1";
const NEXT =
  "SELECT due_at_ms::float8 AS ms FROM deliveries WHERE due_at_ms > $1::bigint ORDER BY deliveries.due_at_ms LIMIT 1";
const NEWEST = `(SELECT * FROM deliveries ORDER BY delivery_id DESC LIMIT ${MAX_DELIVERIES}) AS newest`;
const LISTED = `($1::bigint IS NULL OR newest.delivery_id < $1) AND ($2::bigint IS NULL OR newest.delivery_id > $2)
  AND ($3::bigint IS NULL OR transaction_id = $3) ORDER BY newest.delivery_id`;

interface Rows {
  /** The columns of a transaction, to be selected. */
  readonly columns: string;
  toTransaction(row: TransactionRow): Transaction;
}

export function createDeliveries({ read, write, writeOnce }: Sql, { columns, toTransaction }: Rows) {
  let plan: (() => readonly PlannedDelivery[]) | null = null;

  const select = (from: string): string =>
    `SELECT ${DELIVERY_COLUMNS}, ${columns} FROM ${from} JOIN transactions ON id = transaction_id`;

  function toDelivery(row: DeliveryRow): Delivery {
    const payment = toTransaction(row);
    assert(payment.status !== "pending", "a delivery is of a payment that ended");
    return {
      id: row.delivery_id,
      payment,
      form: row.form,
      endedAtMs: row.ended_at_ms,
      dueAtMs: row.due_at_ms,
      attempts: JSON.parse(row.attempts) as DeliveryAttempt[],
      resendOf: row.resend_of,
    };
  }

  const shared: Omit<DeliveryStore, "claim" | "release" | "save"> = {
    plan(next) {
      plan = next;
    },

    async nextDueAtMs(afterMs) {
      const [next] = await read<{ ms: number }>(NEXT, [afterMs]);
      return next?.ms ?? null;
    },

    async resend(id, dueAtMs) {
      const [added] = await writeOnce<{ id: number }>(RESEND, [dueAtMs, id]);
      await write(END_WAITING, [id, dueAtMs]);
      const rows = await read<DeliveryRow>(`${select("deliveries")} WHERE delivery_id = $1::bigint`, [
        added?.id ?? null,
      ]);
      return rows.map(toDelivery)[0] ?? null;
    },

    async list({ before = null, after = null, transactionId = null, limit }) {
      const statement = `${select(NEWEST)} WHERE ${LISTED} ${after === null ? "DESC" : "ASC"} LIMIT $4::int`;
      const deliveries = (await read<DeliveryRow>(statement, [before, after, transactionId, limit])).map(toDelivery);
      return after === null ? deliveries.reverse() : deliveries;
    },

    async giveUp() {
      for (const step of [GIVE_UP, REMOVE_OLD]) while ((await write(step)).length > 0);
    },
  };

  /** What an outcome that is written now is written with. */
  const planned = () => plan?.() ?? [];
  return { shared, planned, select, toDelivery };
}
