import { Refusal } from "../../domain/error.ts";
import { createMutex } from "../../domain/mutex.ts";
import type { PendingTransaction, Transaction } from "../../domain/transaction.ts";
import type { Query } from "../query.ts";
import { expectStatus, firstOfEach, PENDING, type TransactionRow, toChange, toNewRow, toTransaction } from "../rows.ts";
import type { TransactionStore } from "../store.ts";
import type { Meter } from "../vitals.ts";
import type { Script } from "./connections.ts";
import type { Deliveries } from "./deliveries.ts";
import { createGroup } from "./group.ts";
import type { Numbering } from "./numbering.ts";
import { createReads, type ReadsParts } from "./reads.ts";
import { fromRow, ROW, toRow } from "./rows.ts";
import type { Shards } from "./totals.ts";

export interface TransactionParts extends ReadsParts {
  readonly meter: Meter;
  readonly shards: Shards;
  readonly deliveries: Deliveries;
}

/** How many statements insert at once. Payments that arrive while they run share the next one. */
const LANES = 2;

export const INSERT = "SELECT momo_insert($1, $2) AS ids";
export const RECORD = "SELECT momo_record($1, $2, $3) AS ids";

/** A copy, which has no sequence, never uses their numbers again. The lock waits for other servers: their last payments count, too. */
const FORGET_ALL = `LOCK TABLE transactions;
  UPDATE numbering SET last_forgotten = greatest(last_forgotten, (SELECT max(id) FROM transactions));
  TRUNCATE transactions, day_totals, deliveries`;

/** If this process freezes in the middle of a claim, the engine releases its rows after this time. */
const LIMIT_IDLE = "SET LOCAL idle_in_transaction_session_timeout = '2s'";

/** Finds also rows that other replicas have locked. */
const IS_ANY_DUE = `SELECT 1 FROM transactions WHERE status = ${PENDING} AND check_at_ms <= $1::bigint LIMIT 1`;

const due = (nowMs: number, limit: number) =>
  `SELECT ${ROW} FROM transactions WHERE status = ${PENDING} AND check_at_ms <= ${Math.floor(nowMs)}
  ORDER BY check_at_ms, id LIMIT ${Math.floor(limit)} FOR NO KEY UPDATE`;

/** Transactions one by one. */
export function createTransactionStore(parts: TransactionParts, numbering: Numbering): TransactionStore {
  const { sql, shards, deliveries } = parts;
  const { requestIds, next } = numbering;
  const inserts = createInserts(parts);
  /** What is written after a reset began waits for its end, so that the reset does not remove it. */
  const resets = createMutex();

  async function update<T extends Transaction>(query: Query, outcomes: readonly T[], lane: string): Promise<T[]> {
    const changes = JSON.stringify(outcomes.map((outcome) => toRow(toChange(outcome))));
    const changed = await idsOf(query, RECORD, [changes, shards.name(lane), deliveries.planned()]);
    return outcomes.filter(({ id }) => changed.has(id));
  }

  async function record<T extends Transaction>(outcomes: readonly T[]): Promise<T[]> {
    const firsts = firstOfEach(outcomes);
    if (firsts.length === 0) return [];
    await resets.whenIdle();
    return timed(parts, firsts.length, () => update(sql.writeOnce, firsts, "record"));
  }

  /** Locks due payments. The lock only saves work: the conditional update decides which outcome counts. */
  async function claim(script: Script, nowMs: number, limit: number): Promise<PendingTransaction[]> {
    const select = due(nowMs, limit);
    let rows = await script<TransactionRow>(`${LIMIT_IDLE}; ${select} SKIP LOCKED`);
    // Other replicas are deciding about all due rows. Wait for them, so that no request here sees the rows as pending afterwards.
    if (rows.length === 0) rows = await script<TransactionRow>(select);
    return rows.map((row) => expectStatus("pending", toTransaction(fromRow(row), requestIds)));
  }

  return {
    ...createReads(parts, numbering),

    async identify(createdAtMs, random) {
      return requestIds.issue(await next(), createdAtMs, random);
    },

    async insert(pending) {
      await resets.whenIdle();
      await inserts.add(pending);
    },

    async resolveDue(nowMs, limit, decide) {
      if ((await sql.read(IS_ANY_DUE, [nowMs])).length === 0) return record(await decide([]));
      let decided: Transaction[] | null = null;
      return sql.transaction(async (query, script) => {
        // A second attempt writes the same outcomes again: those that the first has stored are final, and stay as they are.
        decided ??= firstOfEach(await decide(await claim(script, nowMs, limit)));
        return decided.length === 0 ? [] : update(query, decided, "claim");
      });
    },

    record,

    clear: () =>
      resets.run(async () => {
        await inserts.whenEmpty();
        await sql.transaction((_, script) => script(FORGET_ALL));
      }),

    async save() {
      throw new Refusal(
        "conflict",
        "a database that several servers share has no snapshots: a restore would remove payments that other servers write",
      );
    },
  };
}

/** Group commit: the payments of a turn are one statement. */
function createInserts(parts: TransactionParts) {
  const { sql, shards } = parts;

  async function insert(items: readonly PendingTransaction[], shard: string): Promise<(true | Error)[]> {
    const json = JSON.stringify(items.map((item) => toRow(toNewRow(item))));
    const written = await idsOf(sql.writeOnce, INSERT, [json, shard]);
    return items.map(({ id }) =>
      // Of two items with the same number, the first is stored.
      written.delete(id) ? true : new Error(`UNIQUE constraint failed: there is a transaction ${id}`),
    );
  }

  return createGroup<PendingTransaction, true>({
    ...parts,
    lanes: LANES,
    run: (items, lane) => timed(parts, items.length, () => insert(items, shards.name(`insert${lane}`))),
  });
}

async function timed<T>({ meter, stopwatch }: TransactionParts, count: number, work: () => Promise<T>): Promise<T> {
  const startMs = stopwatch();
  const result = await work();
  meter.committed(count, startMs, stopwatch());
  return result;
}

/** @returns the ids of the rows that were written */
async function idsOf(query: Query, text: string, parameters: readonly unknown[]): Promise<Set<number>> {
  const [row] = await query<{ ids: string | null }>(text, parameters);
  return new Set(row?.ids?.split(",").map(Number) ?? []);
}
