import type { ApiKey } from "../domain/credentials.ts";
import type { Tariff } from "../domain/fee.ts";
import type { Page, Summary, TransactionFilter } from "../domain/filter.ts";
import type { Merchant, PaymentAccount } from "../domain/merchant.ts";
import type { Msisdn } from "../domain/phone.ts";
import type { Random } from "../domain/random.ts";
import type {
  CompletedTransaction,
  PendingTransaction,
  Transaction,
  TransactionIdentifiers,
} from "../domain/transaction.ts";
import type { Vitals } from "./vitals.ts";

/**
 * What every engine must do. Instants are milliseconds since the Unix epoch, money is whole cents. What is written is on disk when
 * its promise resolves; where it rejects, nothing of it is written. A rejection is a failure of the engine: what the rules of the
 * domain forbid is refused before it comes here.
 */
export interface Store {
  readonly merchants: MerchantStore;
  readonly transactions: TransactionStore;
  readonly transactionList: TransactionList;
  readonly vitals: Vitals;
  /** Whether other processes resolve payments of this database, too. */
  readonly isShared: boolean;
  /** A text that changes when other processes have written transactions; of a store that is not shared, always the same. */
  markOfOthers(): Promise<string>;
  /** After the last write has been answered. Lists that are still being read are rejected. */
  close(): void;
}

/** Merchants, with their payment accounts and keys. */
export interface MerchantStore {
  /** @returns null where there are `MAX_MERCHANTS` */
  addMerchant(name: string, nowMs: number): Promise<Merchant | null>;
  /** @returns null where the merchant has `MAX_ACCOUNTS` */
  addPaymentAccount(account: Omit<PaymentAccount, "id">, nowMs: number): Promise<PaymentAccount | null>;
  /** @returns whether there was room for it: false where the merchant has `MAX_KEYS` in force */
  addKey(key: Omit<ApiKey, "revokedAtMs">, nowMs: number): Promise<boolean>;
  /**
   * Forgets what was revoked before the last `MAX_REVOKED_KEYS` of the merchant: unknown and revoked are refused alike.
   * @returns whether there was such a key, not revoked before
   */
  revokeKey(apiKey: string, nowMs: number): Promise<boolean>;
  setTariff(accountId: number, tariff: Tariff): Promise<void>;
  findKey(apiKey: string): Promise<ApiKey | null>;
  findPaymentAccount(id: number): Promise<PaymentAccount | null>;
  findMerchant(id: number): Promise<Merchant | null>;
  findFirstMerchant(): Promise<Merchant | null>;
  /** In the order in which they were added, as the two below. */
  listMerchants(): Promise<Merchant[]>;
  listPaymentAccounts(merchantId: number): Promise<PaymentAccount[]>;
  /** Revoked ones too. */
  listKeys(merchantId: number): Promise<ApiKey[]>;
}

/** Transactions one by one: numbered, stored, found, due and resolved. */
export interface TransactionStore {
  /**
   * The number and the request ids of a payment that is about to start. No transaction of this database has or had the number; one
   * that is never stored may leave a gap.
   */
  identify(createdAtMs: number, random: Random): Promise<TransactionIdentifiers>;

  /** Stores a transaction that has just been opened, under identifiers that {@link identify} gave. */
  insert(transaction: PendingTransaction): Promise<void>;

  /** By its whole id, in its own letter case. */
  findByCheckoutRequestId(checkoutRequestId: string): Promise<Transaction | null>;

  /** The newest transaction of any merchant with exactly this reference. */
  findByReference(reference: string): Promise<Transaction | null>;

  /**
   * Takes the pending transactions to be checked by `nowMs`, at most `limit`, in the order in which they fell due, asks `decide`
   * what becomes of them, and writes that as {@link record} does. While they are being decided, no other process takes them.
   * @param decide is called with none, too; what it returns may be about others
   * @returns those that this call changed; rejects with what `decide` threw
   */
  resolveDue(
    nowMs: number,
    limit: number,
    decide: (due: readonly PendingTransaction[]) => Promise<readonly Transaction[]>,
  ): Promise<Transaction[]>;

  /** Whether a transaction is pending whose deadline has passed. */
  isAnyOverdue(nowMs: number): Promise<boolean>;

  /** When the pending transaction started that is due last; null while nothing is pending. */
  lastDueStartMs(): Promise<number | null>;

  /**
   * Writes what became of transactions (their end, or a later time to ask again) in one commit, each only where it is still
   * pending: the first outcome wins.
   * @returns those that this call changed; rejects where one cannot be written, such as a second payment with one receipt
   */
  record<T extends Transaction>(outcomes: readonly T[]): Promise<T[]>;

  /**
   * When the next check is due; null while nothing is pending. A shared store can name a later time where only payments of other
   * processes are due: they resolve those themselves.
   */
  nextCheckAtMs(): Promise<number | null>;

  /**
   * The prompts that nobody has answered, oldest first: all, or those of one phone. Where there are more than `limit`, those that
   * are due next; of a phone with many payments, those among the next of all, as far as an engine looks.
   */
  listPending(limit: number, phone?: Msisdn | null): Promise<PendingTransaction[]>;

  /**
   * The payments of all merchants that completed last, newest first, at most `limit`: all, or those of one phone; of a phone with
   * many payments, those among the last of all, as far as an engine looks.
   */
  listPaid(limit: number, phone?: Msisdn | null): Promise<CompletedTransaction[]>;

  /** Forgets every transaction; their numbers are not given again. */
  clear(): Promise<void>;

  /**
   * Keeps a copy of all transactions beside them, until it is dropped or the store is closed.
   * @returns null where there are more than `most`
   */
  save(most: number): Promise<SavedTransactions | null>;
}

/** A copy of all transactions as they were once. */
export interface SavedTransactions {
  readonly count: number;
  /** Puts them in the place of those of now, in one commit. No number that was ever given is given again. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** One page of the list and the counts over all that the filter selects. */
export interface ListedPage {
  readonly rows: Transaction[];
  readonly summary: Summary;
}

/** The list of a merchant's transactions (§4.3). */
export interface TransactionList {
  /**
   * One page of what the filter selects, by `createdAtMs` and then by number, newest first, and the counts over all of it; both of
   * one point in time. Past the end there are no rows. However much is read for it, no other call waits for long.
   */
  list(merchantId: number, filter: TransactionFilter, page: Page): Promise<ListedPage>;
}

/** The second line is about a database on a server; `fragile` is one that loses payments when it fails over. */
export type DatabaseProblem =
  | ("locked" | "damaged" | "foreign" | "older" | "newer" | "unwritable" | "missing" | "linked")
  | ("unreachable" | "refused" | "standby" | "fragile");

/** Why a database cannot be used; nothing has been changed in it. The message is one line that names it. */
export class UnusableDatabase extends Error {
  override readonly name = "UnusableDatabase";

  constructor(
    readonly problem: DatabaseProblem,
    message: string,
  ) {
    super(message);
  }
}
