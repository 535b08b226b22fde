import type { Transaction } from "../../domain/transaction.ts";
import type { Query } from "../query.ts";
import { PENDING, type TransactionRow, toTransaction } from "../rows.ts";
import type { TransactionReads } from "../store.ts";
import { createSharedReads } from "../transaction-reads.ts";
import { createGroup } from "./group.ts";
import type { Numbering } from "./numbering.ts";
import { createPhoneReads } from "./phone-reads.ts";
import { fromRow, numbers, ROW, toStored } from "./rows.ts";
import type { EngineSql } from "./sql.ts";

/** How long a payment is left to the replica that started it: otherwise all replicas would wake for each payment. */
const OTHERS_MS = 1000;

const LANES = 2;

const NEXT = `SELECT id::float8 AS id, check_at_ms::float8 AS ms FROM transactions WHERE status = ${PENDING}
  ORDER BY check_at_ms, id LIMIT 200`;

const BY_IDS = `SELECT ${ROW} FROM transactions WHERE id = ANY($1::text::bigint[])`;

/** Its commit waits for a standby. A server that was replaced as primary has none, so what it does not have proves nothing. */
const CONFIRM = "SELECT 1 FROM numbering FOR KEY SHARE";

export interface ReadsParts {
  readonly sql: EngineSql;
  readonly stopwatch: () => number;
  /** How long a statement waits for its turn. */
  readonly waitMs: number;
  /** Whether the server that answers may have been replaced by its standby. */
  readonly mayBeStale: () => boolean;
}

/** The lookups by id of one turn are one statement. */
function createLookup(parts: ReadsParts) {
  const { sql, mayBeStale } = parts;
  return createGroup<number, TransactionRow | null>({
    ...parts,
    lanes: LANES,
    async run(ids) {
      const found = new Map<number, TransactionRow>();
      const look = async (query: Query, some: Iterable<number>) => {
        for (const row of await query<TransactionRow>(BY_IDS, [numbers(some)])) found.set(row.id, fromRow(row));
      };
      await look(sql.read, new Set(ids));
      const missing = ids.filter((id) => !found.has(id));
      if (missing.length > 0 && mayBeStale()) {
        await sql.reading(async ({ query }) => {
          await query(CONFIRM);
          await look(query, missing);
        });
      }
      return ids.map((id) => found.get(id) ?? null);
    },
  });
}

/** Reads of transactions, except their list. */
export function createReads(parts: ReadsParts, { requestIds, isOwn }: Numbering): TransactionReads {
  const { read } = parts.sql;
  const byNumber = createLookup(parts);
  const shared = createSharedReads({
    read,
    columns: ROW,
    indexedBy: () => "",
    ofPhone: createPhoneReads(read),
    toStored,
    toTransaction: (row) => toTransaction(fromRow(row), requestIds),
  });

  return {
    ...shared,

    async findByCheckoutRequestId(checkoutRequestId): Promise<Transaction | null> {
      const id = requestIds.numberOf(checkoutRequestId);
      const row = id === null ? null : await byNumber.add(id);
      const transaction = row && toTransaction(row, requestIds);
      return transaction?.checkoutRequestId === checkoutRequestId ? transaction : null;
    },

    async nextCheckAtMs() {
      const rows = await read<{ id: number; ms: number }>(NEXT);
      if (rows.length === 0) return null;
      return Math.min(...rows.map(({ id, ms }) => (isOwn(id) ? ms : ms + OTHERS_MS)));
    },
  };
}
