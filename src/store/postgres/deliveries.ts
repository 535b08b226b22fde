import type { DeliveryStore } from "../../domain/delivery.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import { createDeliveries, type DeliveryRow, REMOVE_OLD } from "../deliveries.ts";
import { toTransaction } from "../rows.ts";
import { fromRow, ROW } from "./rows.ts";
import type { EngineSql } from "./sql.ts";

export interface Deliveries extends DeliveryStore {
  /** What a statement that writes outcomes adds for each of them, as JSON; null for nothing. */
  planned(): string | null;
}

/** A server that has not saved an attempt for this long is dead, and another one may claim it: an attempt ends after 11 s. */
const CLAIM_MS = 15_000;

/** One of this many deliveries that end removes the old ones for all. */
const SAVES_PER_REMOVAL = 16;

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const IS_ANY_DUE = `SELECT 1 FROM deliveries WHERE due_at_ms <= $1::bigint AND claimed_until_ms < ${NOW} LIMIT 1`;
/** Repeated after a lost answer it finds nothing, because the first one claimed them: those webhooks wait until the claim ends. */
const CLAIM = `WITH claimed AS (
    UPDATE deliveries SET claimed_until_ms = ${NOW} + ${CLAIM_MS}, claim = $3::text WHERE delivery_id IN (
      SELECT delivery_id FROM deliveries WHERE due_at_ms <= $1::bigint AND claimed_until_ms < ${NOW}
      ORDER BY due_at_ms, delivery_id LIMIT $2::int FOR UPDATE SKIP LOCKED
    ) RETURNING *
  )`;
const SAVE = `UPDATE deliveries SET attempts = $1::text, due_at_ms = $2::bigint, claimed_until_ms = 0
  WHERE delivery_id = $3::bigint AND due_at_ms IS NOT NULL`;
const RELEASE = "UPDATE deliveries SET claimed_until_ms = 0 WHERE delivery_id = $1::bigint AND claim = $2::text";

/** @param replica a name that no other server has */
export function createDeliveryStore(sql: EngineSql, requestIds: RequestIds, replica: string): Deliveries {
  const { read, write } = sql;
  const { shared, planned, select, toDelivery } = createDeliveries(sql, {
    columns: ROW,
    toTransaction: (row) => toTransaction(fromRow(row), requestIds),
  });
  const claimDue = `${CLAIM} ${select("claimed")} ORDER BY claimed.due_at_ms, claimed.delivery_id`;

  return {
    ...shared,

    planned() {
      const deliveries = planned();
      return deliveries.length === 0 ? null : JSON.stringify(deliveries);
    },

    async claim(nowMs, limit) {
      // Most often nothing is due, and a read is cheaper than a write.
      if ((await read(IS_ANY_DUE, [nowMs])).length === 0) return [];
      return (await write<DeliveryRow>(claimDue, [nowMs, limit, replica])).map(toDelivery);
    },

    async release(id) {
      await write(RELEASE, [id, replica]);
    },

    async save({ id, attempts, dueAtMs }) {
      await write(SAVE, [JSON.stringify(attempts), dueAtMs, id]);
      if (dueAtMs === null && id % SAVES_PER_REMOVAL === 0) await write(REMOVE_OLD);
    },
  };
}
