import type { Database } from "bun:sqlite";
import { type DeliveryStore, MAX_DELIVERIES, type PlannedDelivery } from "../../domain/delivery.ts";
import { DELIVERY, type DeliveryRow, ROW, toDelivery } from "../rows.ts";
import { DELIVERIES_AT_ONCE } from "../store.ts";
import type { CommitQueue } from "./commit-queue.ts";
import type { Numbering } from "./numbering.ts";

/** What a commit of outcomes calls for each of them. */
export interface Deliveries extends DeliveryStore {
  /** Writes the deliveries of a transaction that has just ended, by the id of its row. */
  write(transactionId: number): void;
}

export function createDeliveryStore(
  client: Database,
  commits: CommitQueue,
  { requestIds, rowIdOf }: Numbering,
): Deliveries {
  const statements = prepareStatements(client);
  /** One process at a time sends the deliveries of a file, so its memory is enough. */
  const claimed = new Set<number>();
  let planned: (() => readonly PlannedDelivery[]) | null = null;
  const toDeliveries = (rows: readonly DeliveryRow[]) => rows.map((row) => toDelivery(row, requestIds));

  return {
    plan(next) {
      planned = next;
    },

    write(transactionId) {
      if (!planned) return;
      for (const { form, endedAtMs, dueAtMs } of planned()) {
        statements.insert.run(transactionId, form, endedAtMs, dueAtMs);
      }
    },

    async claim(nowMs, limit) {
      const rows = statements.due.all(nowMs, limit + claimed.size);
      const free = rows.filter((row) => !claimed.has(row.delivery_id)).slice(0, limit);
      for (const row of free) claimed.add(row.delivery_id);
      return toDeliveries(free);
    },

    async release(id) {
      claimed.delete(id);
    },

    async nextDueAtMs(afterMs) {
      return statements.next.get(afterMs)?.dueAtMs ?? null;
    },

    async save({ id, attempts, dueAtMs }) {
      await commits.run(() => {
        statements.save.run(JSON.stringify(attempts), dueAtMs, id);
        if (dueAtMs === null) statements.removeOld.run();
      });
      claimed.delete(id);
    },

    async resend(id, dueAtMs) {
      const added = await commits.run(() => statements.resend.get(dueAtMs, id));
      return added && (toDeliveries(statements.byId.all(added.id))[0] ?? null);
    },

    async list({ before = null, after = null, transactionId = null, limit }) {
      const { oldestFirst, newestFirst } = statements;
      const rowId = transactionId === null ? null : rowIdOf(transactionId);
      if (after !== null) return toDeliveries(oldestFirst.all(before, after, rowId, limit));
      return toDeliveries(newestFirst.all(before, after, rowId, limit)).reverse();
    },

    async giveUp() {
      const { giveUp, removeOld } = statements;
      for (const step of [giveUp, removeOld]) while ((await commits.run(() => step.run().changes)) > 0);
    },
  };
}

const SELECT = `SELECT ${DELIVERY}, ${ROW} FROM deliveries JOIN transactions ON id = transaction_id`;
const LIST = `SELECT ${DELIVERY}, ${ROW} FROM (SELECT * FROM deliveries ORDER BY delivery_id DESC LIMIT ${MAX_DELIVERIES})
  JOIN transactions ON id = transaction_id
  WHERE (?1 IS NULL OR delivery_id < ?1) AND (?2 IS NULL OR delivery_id > ?2) AND (?3 IS NULL OR transaction_id = ?3)`;

type ListParameters = [before: number | null, after: number | null, transactionId: number | null, limit: number];

function prepareStatements(client: Database) {
  return {
    insert: client.query<never, [number, string, number, number]>(
      "INSERT INTO deliveries (transaction_id, form, ended_at_ms, due_at_ms) VALUES (?, ?, ?, ?)",
    ),
    due: client.query<DeliveryRow, [number, number]>(
      `${SELECT} WHERE due_at_ms <= ? ORDER BY due_at_ms, delivery_id LIMIT ?`,
    ),
    next: client.query<{ dueAtMs: number }, [number]>(
      "SELECT due_at_ms AS dueAtMs FROM deliveries WHERE due_at_ms > ? ORDER BY due_at_ms LIMIT 1",
    ),
    save: client.query<never, [string, number | null, number]>(
      "UPDATE deliveries SET attempts = ?, due_at_ms = ? WHERE delivery_id = ? AND due_at_ms IS NOT NULL",
    ),
    removeOld: client.query<never, []>(
      `DELETE FROM deliveries WHERE delivery_id IN (
        SELECT delivery_id FROM deliveries WHERE due_at_ms IS NULL
        AND delivery_id <= (SELECT max(delivery_id) FROM deliveries) - ${MAX_DELIVERIES} LIMIT ${DELIVERIES_AT_ONCE}
      )`,
    ),
    resend: client.query<{ id: number }, [number, number]>(
      `INSERT INTO deliveries (transaction_id, form, ended_at_ms, due_at_ms, resend_of)
      SELECT transaction_id, form, ended_at_ms, ?, delivery_id FROM deliveries WHERE delivery_id = ?
      RETURNING delivery_id AS id`,
    ),
    byId: client.query<DeliveryRow, [number]>(`${SELECT} WHERE delivery_id = ?`),
    oldestFirst: client.query<DeliveryRow, ListParameters>(`${LIST} ORDER BY delivery_id LIMIT ?4`),
    newestFirst: client.query<DeliveryRow, ListParameters>(`${LIST} ORDER BY delivery_id DESC LIMIT ?4`),
    giveUp: client.query<never, []>(
      `UPDATE deliveries SET due_at_ms = NULL WHERE delivery_id IN (
        SELECT delivery_id FROM deliveries WHERE due_at_ms IS NOT NULL LIMIT ${DELIVERIES_AT_ONCE}
      )`,
    ),
  };
}
