import assert from "node:assert/strict";
import { and, asc, desc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { foldCase, type Page } from "../domain/filter.ts";
import type { AmountCents } from "../domain/money.ts";
import type { Msisdn } from "../domain/phone.ts";
import type { NewTransaction, PendingTransaction, Transaction, TransactionFacts } from "../domain/transaction.ts";
import type { CommitQueue } from "./commit-queue.ts";
import type { Drizzle } from "./database.ts";
import { onFirstUse } from "./on-first-use.ts";
import { merchants, totals, transactions } from "./schema.ts";

export type TransactionStore = ReturnType<typeof createTransactionStore>;

/** Transactions one by one: stored, found, due and resolved. */
export function createTransactionStore(drizzle: Drizzle, commits: CommitQueue) {
  const insert = onFirstUse(() =>
    drizzle
      .insert(transactions)
      .values({
        merchantId: sql.placeholder("merchantId"),
        paymentAccountId: sql.placeholder("paymentAccountId"),
        kind: sql.placeholder("kind"),
        status: sql.placeholder("status"),
        amountCents: sql.placeholder("amountCents"),
        feeCents: sql.placeholder("feeCents"),
        phone: sql.placeholder("phone"),
        reference: sql.placeholder("reference"),
        referenceFolded: sql.placeholder("referenceFolded"),
        description: sql.placeholder("description"),
        checkoutRequestId: sql.placeholder("checkoutRequestId"),
        merchantRequestId: sql.placeholder("merchantRequestId"),
        createdAtMs: sql.placeholder("createdAtMs"),
        expiresAtMs: sql.placeholder("expiresAtMs"),
        checkAtMs: sql.placeholder("checkAtMs"),
        memo: sql.placeholder("memo"),
      })
      .returning({ id: transactions.id })
      .prepare(),
  );

  const byCheckoutRequestId = onFirstUse(() =>
    drizzle
      .select()
      .from(transactions)
      .where(eq(transactions.checkoutRequestId, sql.placeholder("checkoutRequestId")))
      .prepare(),
  );

  const isPending = sql`${transactions.status} = 'pending'`;

  const due = onFirstUse(() =>
    drizzle
      .select()
      .from(transactions)
      .where(and(isPending, lte(transactions.checkAtMs, sql.placeholder("nowMs"))))
      .orderBy(asc(transactions.checkAtMs), asc(transactions.id))
      .limit(sql.placeholder("limit"))
      .prepare(),
  );

  const earliest = onFirstUse(() =>
    drizzle
      .select({ checkAtMs: transactions.checkAtMs })
      .from(transactions)
      .where(isPending)
      .orderBy(asc(transactions.checkAtMs))
      .limit(1)
      .prepare(),
  );

  const pending = onFirstUse(() =>
    drizzle
      .select()
      .from(transactions)
      .where(
        and(isPending, or(isNull(sql`${sql.placeholder("phone")}`), eq(transactions.phone, sql.placeholder("phone")))),
      )
      .orderBy(asc(transactions.id))
      .limit(sql.placeholder("limit"))
      .prepare(),
  );

  const byReference = onFirstUse(() =>
    drizzle
      .select()
      .from(transactions)
      .where(
        and(
          inArray(transactions.merchantId, drizzle.select({ id: merchants.id }).from(merchants)),
          eq(transactions.referenceFolded, sql.placeholder("referenceFolded")),
          eq(transactions.reference, sql.placeholder("reference")),
        ),
      )
      .orderBy(desc(transactions.id))
      .limit(1)
      .prepare(),
  );

  // Of each outcome its RECORDED members, in their order.
  const recorded = (member: (typeof RECORDED)[number]) =>
    sql`outcome.value ->> ${sql.raw(`${RECORDED.indexOf(member)}`)}`;
  const resolve = onFirstUse(() =>
    drizzle
      .update(transactions)
      .set({
        status: recorded("status"),
        transactionCode: recorded("transactionCode"),
        receiptNumber: recorded("receiptNumber"),
        resultCode: recorded("resultCode"),
        resultDesc: recorded("resultDesc"),
        completedAtMs: recorded("completedAtMs"),
        checkAtMs: recorded("checkAtMs"),
        memo: sql`CASE WHEN ${recorded("status")} = 'pending' THEN ${transactions.memo} END`,
      })
      .from(sql`json_each(${sql.placeholder("outcomes")}) AS outcome`)
      // The plus keeps SQLite from going through all that is pending: few rows are looked up, by their ids.
      .where(and(eq(transactions.id, recorded("id")), sql`+${isPending}`))
      .returning({ id: transactions.id })
      .prepare(),
  );

  return {
    /** Stores a transaction that has just been opened, and numbers it. */
    async insert(transaction: NewTransaction): Promise<number> {
      const { reference } = transaction;
      const row = { ...transaction, referenceFolded: reference === null ? null : foldCase(reference) };
      return commits.run(() => {
        const inserted = insert().get(row);
        assert(inserted, "an insert that does not throw returns its row");
        return inserted.id;
      });
    },

    async findByCheckoutRequestId(checkoutRequestId: string): Promise<Transaction | null> {
      const row = byCheckoutRequestId().get({ checkoutRequestId });
      // The column does not tell letter case; an identifier does.
      return row?.checkoutRequestId === checkoutRequestId ? toTransaction(row) : null;
    },

    /** The pending transactions to be checked by `nowMs`, in the order in which they fell due, at most `limit`. */
    async listDue(nowMs: number, limit: number): Promise<PendingTransaction[]> {
      return due().all({ nowMs, limit }).map(toPending);
    },

    /** When the next check is due; null while nothing is pending. */
    async nextCheckAtMs(): Promise<number | null> {
      return earliest().get()?.checkAtMs ?? null;
    },

    /**
     * Writes what became of transactions (their end, or a later time to ask again) in one commit, each only where it is still
     * pending: the first outcome wins.
     * @returns those that this call changed
     */
    async record<T extends Transaction>(outcomes: readonly T[]): Promise<T[]> {
      // Of two outcomes of one transaction the statement would take either.
      const firsts = new Map<number, T>();
      for (const outcome of outcomes) if (!firsts.has(outcome.id)) firsts.set(outcome.id, outcome);
      const rows = Array.from(firsts.values(), (outcome: Recorded) =>
        RECORDED.map((member) => outcome[member] ?? null),
      );
      const values = { outcomes: JSON.stringify(rows) };
      return commits.run(() => {
        const changed = new Set(
          resolve()
            .all(values)
            .map(({ id }) => id),
        );
        return [...firsts.values()].filter(({ id }) => changed.has(id));
      });
    },

    /** The prompts that nobody has answered, oldest first: all, or those of one phone. */
    async listPending(limit: number, phone: Msisdn | null = null): Promise<PendingTransaction[]> {
      return pending().all({ limit, phone }).map(toPending);
    },

    /** The newest transaction of any merchant with exactly this reference. */
    async findByReference(reference: string): Promise<Transaction | null> {
      const row = byReference().get({ reference, referenceFolded: foldCase(reference) });
      return row ? toTransaction(row) : null;
    },

    /** Forgets every transaction. */
    async clear(): Promise<void> {
      await commits.run(() => {
        drizzle.delete(transactions).run();
        drizzle.delete(totals).run();
      });
    },
  };
}

/** How many rows come before a page; past every row all pages are alike. */
export function offsetOf({ number, limit }: Page): number {
  return Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER);
}

/** What the store takes over from an outcome; the rest of a row never changes. */
const RECORDED = [
  "id",
  "status",
  "transactionCode",
  "receiptNumber",
  "resultCode",
  "resultDesc",
  "completedAtMs",
  "checkAtMs",
] as const;
type Recorded = { readonly [M in (typeof RECORDED)[number]]?: unknown };

function toPending(row: typeof transactions.$inferSelect): PendingTransaction {
  const transaction = toTransaction(row);
  assert(transaction.status === "pending");
  return transaction;
}

/** A row as the domain knows it. The schema's CHECKs say that no other row exists. */
export function toTransaction(row: typeof transactions.$inferSelect): Transaction {
  const facts: { id: number } & TransactionFacts = {
    id: row.id,
    merchantId: row.merchantId,
    paymentAccountId: row.paymentAccountId,
    kind: row.kind,
    amountCents: row.amountCents as AmountCents,
    feeCents: row.feeCents,
    phone: row.phone as Msisdn,
    reference: row.reference,
    description: row.description,
    checkoutRequestId: row.checkoutRequestId,
    merchantRequestId: row.merchantRequestId,
    createdAtMs: row.createdAtMs,
    expiresAtMs: row.expiresAtMs,
  };
  switch (row.status) {
    case "pending":
      assert(row.checkAtMs !== null && row.memo !== null);
      return { ...facts, status: row.status, checkAtMs: row.checkAtMs, memo: row.memo };
    case "completed":
      assert(row.transactionCode !== null && row.receiptNumber !== null && row.completedAtMs !== null);
      assert(row.resultCode === 0 && row.resultDesc !== null);
      return {
        ...facts,
        status: row.status,
        transactionCode: row.transactionCode,
        receiptNumber: row.receiptNumber,
        resultCode: row.resultCode,
        resultDesc: row.resultDesc,
        completedAtMs: row.completedAtMs,
      };
    case "failed":
    case "cancelled":
    case "expired":
      assert(row.resultCode !== null && row.resultDesc !== null);
      return { ...facts, status: row.status, resultCode: row.resultCode, resultDesc: row.resultDesc };
  }
}
