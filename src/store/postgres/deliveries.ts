import { type DeliveryStore, MAX_DELIVERIES, type PlannedDelivery } from "../../domain/delivery.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import { type DeliveryRow, toDelivery } from "../rows.ts";
import { DELIVERIES_AT_ONCE } from "../store.ts";
import type { EngineSql } from "./options.ts";
import { fromRow, ROW } from "./rows.ts";

export interface Deliveries extends DeliveryStore {
  /** What a statement that writes outcomes adds for each of them, as JSON; null for nothing. */
  planned(): string | null;
}

/** A server that has not saved an attempt for this long is dead: an attempt ends after 11 s. */
const CLAIM_MS = 15_000;

/** One of this many deliveries that end removes the old ones for all. */
const SAVES_PER_REMOVAL = 16;

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const SELECT = `SELECT delivery_id::float8 AS delivery_id, form, ended_at_ms::float8 AS ended_at_ms,
  due_at_ms::float8 AS due_at_ms, attempts, resend_of::float8 AS resend_of, ${ROW}`;
const JOIN = "JOIN transactions ON id = transaction_id";

const IS_ANY_DUE = `SELECT 1 FROM deliveries WHERE due_at_ms <= $1::bigint AND claimed_until_ms < ${NOW} LIMIT 1`;
const CLAIM = `WITH claimed AS (
    UPDATE deliveries SET claimed_until_ms = ${NOW} + ${CLAIM_MS}, claim = $3::text WHERE delivery_id IN (
      SELECT delivery_id FROM deliveries WHERE due_at_ms <= $1::bigint AND (claimed_until_ms < ${NOW} OR claim = $3::text)
      ORDER BY due_at_ms, delivery_id LIMIT $2::int FOR UPDATE SKIP LOCKED
    ) RETURNING *
  ) ${SELECT} FROM claimed ${JOIN} ORDER BY claimed.due_at_ms, claimed.delivery_id`;
const NEXT = "SELECT min(due_at_ms)::float8 AS ms FROM deliveries WHERE due_at_ms > $1::bigint";
const SAVE = `UPDATE deliveries SET attempts = $1::text, due_at_ms = $2::bigint, claimed_until_ms = 0
  WHERE delivery_id = $3::bigint AND due_at_ms IS NOT NULL`;
const RELEASE = "UPDATE deliveries SET claimed_until_ms = 0 WHERE delivery_id = $1::bigint AND claim = $2::text";
const REMOVE_OLD = `DELETE FROM deliveries WHERE delivery_id IN (
    SELECT delivery_id FROM deliveries WHERE due_at_ms IS NULL
    AND delivery_id <= (SELECT max(delivery_id) FROM deliveries) - ${MAX_DELIVERIES} LIMIT ${DELIVERIES_AT_ONCE}
  ) RETURNING 1`;
const GIVE_UP = `UPDATE deliveries SET due_at_ms = NULL WHERE delivery_id IN (
    SELECT delivery_id FROM deliveries WHERE due_at_ms IS NOT NULL LIMIT ${DELIVERIES_AT_ONCE}
  ) RETURNING 1`;
const RESEND = `WITH again AS (
    INSERT INTO deliveries (transaction_id, form, ended_at_ms, due_at_ms, resend_of)
    SELECT transaction_id, form, ended_at_ms, $1::bigint, delivery_id FROM deliveries WHERE delivery_id = $2::bigint
    RETURNING *
  ) ${SELECT} FROM again ${JOIN}`;
const LIST = `${SELECT} FROM (SELECT * FROM deliveries ORDER BY delivery_id DESC LIMIT ${MAX_DELIVERIES}) AS newest ${JOIN}
  WHERE ($1::bigint IS NULL OR newest.delivery_id < $1) AND ($2::bigint IS NULL OR newest.delivery_id > $2)
  AND ($3::bigint IS NULL OR transaction_id = $3) ORDER BY newest.delivery_id`;

/** @param replica a name that no other server has */
export function createDeliveryStore({ read, write }: EngineSql, requestIds: RequestIds, replica: string): Deliveries {
  let claims = 0;
  /** The claim of each delivery that this server has. After a while another server may claim it. */
  const claimed = new Map<number, string>();
  let plan: (() => readonly PlannedDelivery[]) | null = null;
  const toDeliveries = (rows: readonly DeliveryRow[]) => rows.map((row) => toDelivery(fromRow(row), requestIds));
  return {
    plan(next) {
      plan = next;
    },

    planned() {
      const deliveries = plan?.() ?? [];
      return deliveries.length === 0 ? null : JSON.stringify(deliveries);
    },

    async claim(nowMs, limit) {
      // Most often nothing is due, and a read is cheaper than a write.
      if ((await read(IS_ANY_DUE, [nowMs])).length === 0) return [];
      claims += 1;
      const claim = `${replica}/${claims}`;
      const deliveries = toDeliveries(await write(CLAIM, [nowMs, limit, claim]));
      for (const { id } of deliveries) claimed.set(id, claim);
      return deliveries;
    },

    async release(id) {
      const claim = claimed.get(id) ?? null;
      claimed.delete(id);
      await write(RELEASE, [id, claim]);
    },

    async nextDueAtMs(afterMs) {
      const [row] = await read<{ ms: number | null }>(NEXT, [afterMs]);
      return row?.ms ?? null;
    },

    async save({ id, attempts, dueAtMs }) {
      await write(SAVE, [JSON.stringify(attempts), dueAtMs, id]);
      claimed.delete(id);
      if (dueAtMs === null && id % SAVES_PER_REMOVAL === 0) await write(REMOVE_OLD);
    },

    async resend(id, dueAtMs) {
      return toDeliveries(await write(RESEND, [dueAtMs, id]))[0] ?? null;
    },

    async list({ before = null, after = null, transactionId = null, limit }) {
      const order = after === null ? "DESC" : "ASC";
      const rows = await read<DeliveryRow>(`${LIST} ${order} LIMIT $4::int`, [before, after, transactionId, limit]);
      return toDeliveries(after === null ? rows.reverse() : rows);
    },

    async giveUp() {
      for (const step of [GIVE_UP, REMOVE_OLD]) while ((await write(step)).length > 0);
    },
  };
}
