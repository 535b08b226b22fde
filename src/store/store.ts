import type { ApiKey } from "../domain/credentials.ts";
import type { DeliveryStore } from "../domain/delivery.ts";
import { Refusal } from "../domain/error.ts";
import type { TransactionFilter } from "../domain/filters.ts";
import type { Page, Summary } from "../domain/list.ts";
import type { Merchant, PaymentAccount } from "../domain/merchant.ts";
import type { Tariff } from "../domain/money.ts";
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
 * The contract of all engines. Instants are milliseconds since the Unix epoch, money is whole cents. When the promise of a write
 * resolves, the write is on disk; if it rejects, nothing is written, except with {@link OutcomeUnknown}. A rejection is a failure of
 * the engine: the service checks the rules of the domain before.
 */
export interface Store {
  readonly merchants: MerchantStore;
  readonly transactions: TransactionStore;
  readonly transactionList: TransactionList;
  readonly deliveries: DeliveryStore;
  readonly vitals: Vitals;
  /** Whether other processes also resolve payments of this database. */
  readonly isShared: boolean;
  /** A text that changes when other processes have written transactions. It never changes if the store is not shared. */
  replicaChangeToken(): Promise<string>;
  /** Call it after the last write has resolved. Lists that are still being read reject. */
  close(): void;
}

/** A payment account without an id gets the next one. */
export interface NewAccount extends Omit<PaymentAccount, "id"> {
  readonly id?: number | undefined;
}

/** What a new sandbox needs before its first payment. */
export interface FirstMerchant {
  readonly name: string;
  readonly account: Omit<NewAccount, "merchantId">;
  readonly key: Omit<ApiKey, "merchantId" | "revokedAtMs">;
}

/** Merchants, with their payment accounts and keys. */
export interface MerchantStore {
  /**
   * The first merchant of a store, with an account and a key, in one commit. If the answer was lost, it can be added again.
   * @returns its account; null if the store has another merchant already
   */
  addFirst(first: FirstMerchant, nowMs: number): Promise<PaymentAccount | null>;
  /** @returns null if there are `MAX_MERCHANTS` already */
  addMerchant(name: string, nowMs: number): Promise<Merchant | null>;
  /** @returns null if an account has the id already, or the merchant has `MAX_ACCOUNTS` already */
  addPaymentAccount(account: NewAccount, nowMs: number): Promise<PaymentAccount | null>;
  /** @returns false if the merchant has `MAX_KEYS` valid keys already */
  addKey(key: Omit<ApiKey, "revokedAtMs">, nowMs: number): Promise<boolean>;
  /**
   * Revokes a key. Only the last `MAX_REVOKED_KEYS` revoked keys of a merchant are kept, because an unknown key is refused, too.
   * @returns whether this call revoked it
   */
  revokeKey(apiKey: string, nowMs: number): Promise<boolean>;
  setTariff(accountId: number, tariff: Tariff): Promise<void>;
  /** Without a promise if it is in memory: each request needs it. */
  findKey(apiKey: string): ApiKey | null | Promise<ApiKey | null>;
  findPaymentAccount(id: number): Promise<PaymentAccount | null>;
  findMerchant(id: number): Promise<Merchant | null>;
  findFirstMerchant(): Promise<Merchant | null>;
  /** Oldest first; so are the two lists below. */
  listMerchants(): Promise<Merchant[]>;
  listPaymentAccounts(merchantId: number): Promise<PaymentAccount[]>;
  /** Also the revoked ones. */
  listKeys(merchantId: number): Promise<ApiKey[]>;
}

/** Finds transactions. */
export interface TransactionReads {
  /** By its complete id, in the same letter case. Without a promise if it is in memory. */
  findByCheckoutRequestId(checkoutRequestId: string): Transaction | null | Promise<Transaction | null>;

  /** The newest transaction of any merchant with exactly this reference. */
  findByReference(reference: string): Promise<Transaction | null>;

  /**
   * When the next check is due; null if nothing is pending. A shared store may leave out payments of other processes, because
   * those resolve them.
   */
  nextCheckAtMs(): Promise<number | null>;

  /** Whether the deadline of a pending transaction has passed. */
  isAnyOverdue(nowMs: number): Promise<boolean>;

  /** The latest time at which a transaction started, whatever its number is; null if there is none. */
  lastStartMs(): Promise<number | null>;

  /**
   * The open prompts, oldest first: all, or those of one phone. If there are more than `limit`: of all, those due next; of one
   * phone, the oldest. For a phone with many payments, an engine may search only the prompts that are due next.
   */
  listPending(limit: number, phone?: Msisdn | null): Promise<PendingTransaction[]>;

  /** How many open prompts a phone has. */
  countPending(phone: Msisdn): Promise<number>;

  /**
   * The last completed payments of all merchants, newest first, at most `limit`: all, or those of one phone. For a phone with
   * many payments, an engine may search only the newest payments.
   */
  listPaid(limit: number, phone?: Msisdn | null): Promise<CompletedTransaction[]>;
}

/** Numbers, stores and resolves transactions. */
export interface TransactionWrites {
  /**
   * The number and the request ids for a new payment. No transaction of this database has or had the number. A payment that is
   * never stored may leave a gap.
   */
  identify(createdAtMs: number, random: Random): Promise<TransactionIdentifiers>;

  /** Stores a new transaction with identifiers from {@link identify}. */
  insert(transaction: PendingTransaction): Promise<void>;

  /**
   * Reads the pending transactions that are due at `nowMs`, at most `limit`, in the order of their due times. Passes them to
   * `decide`, and writes its result like {@link record}. Until then, no other process resolves them.
   * @param decide is also called with an empty list; it may also return other transactions
   * @returns the transactions that this call changed; rejects with the error of `decide`
   */
  resolveDue(nowMs: number, limit: number, decide: Decide): Promise<Transaction[]>;

  /**
   * Writes the results of transactions (an outcome, or a later time to check again) in one commit, each only if the transaction
   * is still pending: the first outcome wins.
   * @returns the transactions that this call changed; rejects if one cannot be written, such as with a receipt number that exists
   */
  record<T extends Transaction>(outcomes: readonly T[]): Promise<T[]>;

  /** Removes every transaction. Their numbers are not used again. */
  clear(): Promise<void>;

  /**
   * Keeps a copy of all transactions until it is dropped or the store is closed.
   * @returns null if there are more than `most`
   */
  save(most: number): Promise<SavedTransactions | null>;
}

export type Decide = (due: readonly PendingTransaction[]) => Promise<readonly Transaction[]>;

export interface TransactionStore extends TransactionReads, TransactionWrites {}

/** A copy of all transactions at one time. */
export interface SavedTransactions {
  readonly count: number;
  /** Replaces the current transactions by the copy, in one commit. Numbers of removed transactions are not used again. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** One page of the list, and the counts of all that the filter selects. */
export interface ListedPage {
  readonly rows: Transaction[];
  readonly summary: Summary;
}

/** The list of a merchant's transactions (§4.3). */
export interface TransactionList {
  /**
   * One page of what the filter selects, newest first (by `createdAtMs`, then by number), and the counts of all that it selects,
   * both read at one point in time. After the last page there are no rows. A long read does not block other reads and writes.
   * @param signal aborted when the client has gone: then the read ends
   * @throws Refusal `unavailable` if too many long reads wait
   */
  list(merchantId: number, filter: TransactionFilter, page: Page, signal?: AbortSignal): Promise<ListedPage>;

  /**
   * All that the filter selects, newest first, in small parts, some of them empty. All parts are of one point in time, that of the
   * first. Each part is read when it is asked for. End the generator: until then it has a connection of its own.
   */
  readAll(merchantId: number, filter: TransactionFilter): AsyncGenerator<Transaction[]>;
}

/** The database did not do it before the deadline. Clients get the message, and operators the cause. */
export class Unanswered extends Refusal {
  constructor(
    override readonly cause: unknown,
    message = "the database did not answer in time: try again later",
  ) {
    super("unavailable", message);
  }
}

/** The database did not answer a commit, so the write may be stored. */
export class OutcomeUnknown extends Unanswered {
  constructor(cause: unknown) {
    super(cause, "the database did not answer, so this may be stored: look in the list before you try again");
  }
}

/** The second line is for a database on a server: `fragile` can lose payments in a fail-over, `taken` has a server of this name. */
export type DatabaseProblem =
  | ("locked" | "damaged" | "foreign" | "older" | "newer" | "unwritable" | "missing" | "linked" | "seeded")
  | ("unreachable" | "refused" | "standby" | "fragile" | "taken");

/** Why a database cannot be used. It was not changed. The message is one line and names the database. */
export class UnusableDatabase extends Error {
  override readonly name = "UnusableDatabase";

  constructor(
    readonly problem: DatabaseProblem,
    message: string,
    /** What helps against the cause, if that is known. */
    readonly remedy: string | null = null,
    /** What the message calls the file that the system or SQLite cannot use; null if the error is about what a database holds. */
    readonly file: string | null = null,
  ) {
    super(message);
  }
}
