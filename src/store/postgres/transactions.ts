import { Refusal } from "../../domain/error.ts";
import type { RequestIds } from "../../domain/identifiers.ts";
import type { Transaction } from "../../domain/transaction.ts";
import { firstOfEach, type TransactionRow, toChange, toPending } from "../rows.ts";
import type { Decide, TransactionStore } from "../store.ts";
import { BEGIN } from "./attempts.ts";
import type { Connection } from "./connections.ts";
import { isRefusedValue, verdictOf } from "./failures.ts";
import type { Numbering } from "./numbering.ts";
import { createReads, type ReadsParts } from "./reads.ts";
import { fromRow, ROW } from "./rows.ts";
import { createWrites, updateRows, type Writes, type WritesParts, writeOutcomes } from "./writes.ts";

/** A copy, which has no sequence, never uses their numbers again. Statements in one message are one transaction. */
const FORGET_ALL = `UPDATE numbering SET last_forgotten = greatest(last_forgotten, (SELECT max(id) FROM transactions));
  TRUNCATE transactions, day_totals, deliveries`;

/** Transactions one by one. */
export function createTransactionStore(
  given: Omit<WritesParts, "unsettled"> & ReadsParts,
  numbering: Numbering,
): TransactionStore {
  const { requestIds, next } = numbering;
  const parts = { ...given, unsettled: new Map<number, Transaction>() };
  const writes = createWrites(parts);
  const settling = createSettling(parts, writes);
  const claimDue = createClaims(parts, requestIds);
  /** Set while a reset runs: writes that start later wait for it. */
  let gate: Promise<unknown> | null = null;

  async function forgetAll(before: Promise<unknown> | null): Promise<void> {
    await before?.catch(() => {});
    await Promise.all([writes.inserts.whenEmpty(), writes.outcomes.whenEmpty()]);
    settling.clear();
    await parts.attempts.writing(({ script }) => script(FORGET_ALL));
  }

  /** Call it before outcomes are written. */
  async function prepare(): Promise<void> {
    if (gate) await gate.catch(() => {});
    await settling.settle();
  }

  return {
    ...createReads(parts, numbering),
    ...writes,

    async identify(createdAtMs, random) {
      return requestIds.issue(await next(), createdAtMs, random);
    },

    async insert(pending) {
      if (gate) await gate.catch(() => {});
      await writes.inserts.add(pending);
    },

    async resolveDue(nowMs, limit, decide) {
      await prepare();
      const claimed = await claimDue(nowMs, limit, decide);
      return [...settling.take(), ...claimed];
    },

    async record<T extends Transaction>(outcomes: readonly T[]): Promise<T[]> {
      await prepare();
      const firsts = firstOfEach(outcomes);
      if (firsts.length === 0) return [];
      return (await writes.outcomes.add(firsts)) as T[];
    },

    async clear() {
      const mine = forgetAll(gate);
      gate = mine;
      try {
        await mine;
      } finally {
        if (gate === mine) gate = null;
      }
    },

    async save() {
      throw new Refusal(
        "conflict",
        "a database that several servers share has no snapshots: a restore would remove payments that other servers write",
      );
    },
  };
}

/** Writes outcomes again whose write had no answer. */
function createSettling({ unsettled }: WritesParts, { outcomes }: Writes) {
  const settled: Transaction[] = [];
  let running: Promise<void> | null = null;

  async function settleAll(): Promise<void> {
    for (const end of await Promise.allSettled([...unsettled.values()].map((one) => outcomes.add([one])))) {
      if (end.status === "fulfilled") settled.push(...end.value);
    }
    running = null;
  }

  return {
    async settle(): Promise<void> {
      if (unsettled.size === 0) return;
      running ??= settleAll();
      await running;
    },
    /** Those that turned out to be stored, each once. */
    take: () => settled.splice(0),
    clear() {
      unsettled.clear();
      settled.length = 0;
    },
  };
}

/** If this process freezes in the middle of a claim, the engine releases its rows after this time. */
const IDLE_TIMEOUT = "2s";

const BEGIN_CLAIM = `${BEGIN}; SET LOCAL idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`;

/** Finds also rows that other replicas have locked. */
const isAnyDue = (nowMs: number) =>
  `SELECT 1 FROM transactions WHERE status = 0 AND check_at_ms <= ${Math.floor(nowMs)} LIMIT 1`;

const due = (nowMs: number, limit: number) =>
  `SELECT ${ROW} FROM transactions WHERE status = 0 AND check_at_ms <= ${Math.floor(nowMs)}
  ORDER BY check_at_ms, id LIMIT ${Math.floor(limit)} FOR NO KEY UPDATE`;

/** A decision was made, and its commit was not answered. */
class CommitUnanswered extends Error {
  constructor(
    readonly outcomes: readonly Transaction[],
    readonly mayBeWritten: boolean,
    override readonly cause: unknown,
  ) {
    super("the commit of a claim was not answered");
  }
}

/**
 * Locks due payments, calls `decide`, and writes the outcomes, in one short transaction. Other replicas skip locked rows. The lock
 * only saves work: the conditional update decides which outcome counts.
 */
function createClaims(parts: WritesParts, requestIds: RequestIds): TransactionStore["resolveDue"] {
  const { attempts } = parts;
  const shard = `${parts.replica}/c`;

  async function writeDecided(outcomes: readonly Transaction[], mayBeWritten: boolean): Promise<Transaction[]> {
    if (outcomes.length === 0) return [];
    const changed = await writeOutcomes(parts, outcomes, shard, mayBeWritten);
    return outcomes.filter(({ id }) => changed.has(id));
  }

  async function claim({ query, script }: Connection, select: string, decide: Decide): Promise<Transaction[]> {
    let rows = await script<TransactionRow>(`${BEGIN_CLAIM}; ${select} SKIP LOCKED`);
    // Other replicas are deciding about all due rows. Wait for them, so that no request here sees the rows as pending afterwards.
    if (rows.length === 0) rows = await script<TransactionRow>(select);
    const outcomes = firstOfEach(await decide(rows.map((row) => toPending(fromRow(row), requestIds))));
    if (outcomes.length === 0) {
      await script("ROLLBACK");
      return [];
    }
    let isCommitting = false;
    try {
      const changed = await updateRows(parts, query, outcomes.map(toChange), shard);
      isCommitting = true;
      await script("COMMIT");
      return outcomes.filter(({ id }) => changed.has(id));
    } catch (error) {
      if (isRefusedValue(error)) throw error;
      throw new CommitUnanswered(outcomes, isCommitting && verdictOf(error) === "unknown", error);
    }
  }

  return async (nowMs, limit, decide) => {
    const found = await attempts.read(isAnyDue(nowMs));
    if (found.length === 0) return writeDecided(firstOfEach(await decide([])), false);
    try {
      const select = due(nowMs, limit);
      return await attempts.writing((connection) => claim(connection, select, decide), { inTransaction: true });
    } catch (error) {
      if (!(error instanceof CommitUnanswered)) throw error;
      // `decide` is not called again: its outcomes are written like any others, and those already written are found.
      return writeDecided(error.outcomes, error.mayBeWritten);
    }
  };
}
