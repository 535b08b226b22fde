import type { PendingTransaction, Transaction } from "../../domain/transaction.ts";
import { type TransactionRow, toChange } from "../rows.ts";
import type { Connection } from "./connections.ts";
import { isRefusedValue, verdictOf } from "./failures.ts";
import { ROW } from "./rows.ts";
import { updateRows, type WritesParts, writeOutcomes } from "./writes.ts";

export interface ClaimParts extends WritesParts {
  readonly toPending: (row: TransactionRow) => PendingTransaction;
}

/** If this process freezes in the middle of a claim, the engine releases its rows after this time. */
const IDLE_TIMEOUT = "2s";

const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`;

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
export async function claimDue(
  parts: ClaimParts,
  nowMs: number,
  limit: number,
  decide: (due: readonly PendingTransaction[]) => Promise<readonly Transaction[]>,
): Promise<Transaction[]> {
  const shard = `${parts.replica}/c`;
  const found = await parts.attempts.read(({ query }) => query(isAnyDue(nowMs)));
  if (found.length === 0) return writeDecided(parts, firstOfEach(await decide([])), shard, false);
  try {
    return await parts.attempts.write((connection) => claimOnce(parts, connection, { nowMs, limit, decide, shard }), {
      inTransaction: true,
    });
  } catch (error) {
    if (!(error instanceof CommitUnanswered)) throw error;
    // `decide` is not called again: its outcomes are written like any others, and those already written are found.
    return writeDecided(parts, error.outcomes, shard, error.mayBeWritten);
  }
}

async function writeDecided(
  parts: ClaimParts,
  outcomes: readonly Transaction[],
  shard: string,
  mayBeWritten: boolean,
): Promise<Transaction[]> {
  if (outcomes.length === 0) return [];
  const changed = await writeOutcomes(parts, outcomes, shard, mayBeWritten);
  return outcomes.filter(({ id }) => changed.has(id));
}

interface Claim {
  readonly nowMs: number;
  readonly limit: number;
  readonly decide: (due: readonly PendingTransaction[]) => Promise<readonly Transaction[]>;
  readonly shard: string;
}

async function claimOnce(
  parts: ClaimParts,
  { query, script }: Connection,
  { nowMs, limit, decide, shard }: Claim,
): Promise<Transaction[]> {
  const select = due(nowMs, limit);
  let rows = await script<TransactionRow>(`${BEGIN}; ${select} SKIP LOCKED`);
  // Other replicas are deciding about all due rows. Wait for them, so that no request here sees the rows as pending afterwards.
  if (rows.length === 0) rows = await script<TransactionRow>(select);
  const outcomes = firstOfEach(await decide(rows.map(parts.toPending)));
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

/** The first outcome of a transaction counts. */
export function firstOfEach<T extends { readonly id: number }>(outcomes: readonly T[]): T[] {
  const firsts = new Map<number, T>();
  for (const outcome of outcomes) if (!firsts.has(outcome.id)) firsts.set(outcome.id, outcome);
  return [...firsts.values()];
}
