// client.d.mts: the types of client.mjs, for TypeScript. Copy it beside the client.

export type Status = "pending" | "unknown" | "completed" | "failed" | "cancelled" | "expired" | "not_started";

export interface Order {
  readonly reference: string;
  /** Of the service and the account that it belongs to. */
  readonly service: string;
  /** What the service has as the reference. */
  readonly service_reference: string;
  /** As 254712345678. */
  readonly phone: string;
  /** In KES. */
  readonly amount: number;
  readonly status: Status;
  /** True while it is not final. */
  readonly may_have_paid: boolean;
  /** Why nothing more is known. */
  readonly reason?: string;
  readonly checkout_request_id: string | null;
  readonly receipt: string | null;
  readonly result_code: number | null;
  readonly result_desc: string | null;
}

/** A payment as the list of the service shows it. */
export interface Payment {
  readonly status: string;
  readonly [member: string]: unknown;
}

export interface Client {
  pay(reference: string, phone: string, amount: number): Promise<Order>;
  start(reference: string, phone: string, amount: number): Promise<Order>;
  wait(reference: string): Promise<Order>;
  ask(reference: string): Promise<Order>;
  /** The orders that are not final. Rejects if one cannot be read. */
  open(): Promise<Order[]>;
  /** The order as it is stored, without a question to the service, or null. */
  stored(reference: string): Promise<Order | null>;
  /** The payment of an order that need not be stored. */
  find(reference: string, phone: string, amount: number): Promise<Payment | null>;
  /** Newest first, each once, also if payments arrive meanwhile. */
  list(filters?: Readonly<Record<string, string>>): Promise<Payment[]>;
}

type Awaitable<T> = T | Promise<T>;

/** Where orders are kept, by name. In Python and PHP, a table of yours has the same methods, and null is None. */
export interface Store {
  /** Null for a name that is not there. */
  get(name: string): Awaitable<object | null>;
  /** If the name is there, it does nothing, or with `replaces` (elsewhere an argument of this name) replaces it whole.
   *  It waits for the disk. Of two processes that add a name at once, one wins: INSERT … ON CONFLICT DO NOTHING. */
  add(name: string, value: object, options?: { readonly replaces?: boolean }): Awaitable<void>;
  /** A name that is not there is removed already. */
  remove(name: string): Awaitable<void>;
  /** All names. */
  names(): Awaitable<readonly string[]>;
}

export interface Options {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number | string;
  readonly store: Store;
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
  readonly deadlineMs?: number;
  readonly notStartedAfterMs?: number;
  readonly fetch?: (url: string, request: RequestInit) => Promise<Response>;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

export function createClient(options: Options): Client;

/** Keeps orders as files in a folder. */
export function fileStore(folder: string): Store;

export class MomoError extends Error {
  readonly kind: "store" | "usage" | "not_found" | "credentials" | "refused" | "unreachable" | "unknown";
  /** If it is false, this call pushed nothing. */
  readonly mayHavePaid: boolean;
}
