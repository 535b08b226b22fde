import type { Database } from "bun:sqlite";
import type { DeliveryStore } from "../../domain/delivery.ts";
import { createDeliveries, type DeliveryRow, REMOVE_OLD } from "../deliveries.ts";
import { COLUMNS, toTransaction } from "../rows.ts";
import type { CommitQueue } from "./commit-queue.ts";
import type { Numbering } from "./numbering.ts";
import type { SqliteSql } from "./query.ts";

/** What a commit of outcomes calls for each of them. */
export interface Deliveries extends DeliveryStore {
  /** Writes the deliveries of a transaction that has just ended. */
  write(transactionId: number): void;
}

const INSERT = "INSERT INTO deliveries (transaction_id, form, ended_at_ms, due_at_ms) VALUES (?, ?, ?, ?)";
/** After a reset or a restore, another delivery can have the same id. */
const SAVE = `UPDATE deliveries SET attempts = $1, due_at_ms = $2
  WHERE delivery_id = $3 AND transaction_id = $4 AND ended_at_ms = $5 AND due_at_ms IS NOT NULL`;

export function createDeliveryStore(
  client: Database,
  sql: SqliteSql,
  commits: CommitQueue,
  { requestIds }: Numbering,
): Deliveries {
  const { shared, planned, select, toDelivery } = createDeliveries(sql, {
    columns: COLUMNS,
    toTransaction: (row) => toTransaction(row, requestIds),
  });
  const insert = client.query<never, [number, string, number, number]>(INSERT);
  const due = `${select("deliveries")} WHERE due_at_ms <= $1 ORDER BY due_at_ms, delivery_id LIMIT $2`;
  /** One process at a time sends the deliveries of a file, so its memory is enough. */
  const claimed = new Set<number>();

  return {
    ...shared,

    write(transactionId) {
      for (const { form, endedAtMs, dueAtMs } of planned()) insert.run(transactionId, form, endedAtMs, dueAtMs);
    },

    async claim(nowMs, limit) {
      const rows = sql.all<DeliveryRow>(due, [nowMs, limit + claimed.size]);
      const free = rows.filter((row) => !claimed.has(row.delivery_id)).slice(0, limit);
      for (const row of free) claimed.add(row.delivery_id);
      return free.map(toDelivery);
    },

    async release(id) {
      claimed.delete(id);
    },

    async save({ id, payment, endedAtMs, attempts, dueAtMs }) {
      await commits.run(() => {
        sql.all(SAVE, [JSON.stringify(attempts), dueAtMs, id, payment.id, endedAtMs]);
        if (dueAtMs === null) sql.all(REMOVE_OLD);
      });
      claimed.delete(id);
    },
  };
}
