/** What the page reads of the control API, in the words of the wire. */

export type Status = "pending" | "completed" | "failed" | "cancelled" | "expired";
export type Kind = "api" | "web" | "wallet_deposit" | "credit_topup";

export const STATUSES: readonly Status[] = ["pending", "completed", "failed", "cancelled", "expired"];
export const KINDS: readonly Kind[] = ["api", "web", "wallet_deposit", "credit_topup"];

/** One transaction of the list (§2.2). */
export interface Transaction {
  readonly id: number;
  /** The merchant's own name for it. */
  readonly reference: string | null;
  readonly kind: Kind;
  readonly status: Status;
  readonly amount: number;
  readonly fee_amount: number;
  readonly phone: string;
  readonly transaction_code: string | null;
  readonly momo_receipt_number: string | null;
  readonly checkout_request_id: string;
  readonly merchant_request_id: string;
  readonly result_code: number | null;
  readonly result_desc: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
}

/** The same as an event tells it. */
export interface TransactionEvent extends Transaction {
  readonly merchant_id: number;
}

/** Over all that the filters select but the status. */
export interface Counts {
  readonly total_completed_amount: number;
  readonly completed_count: number;
  readonly failed_count: number;
  readonly cancelled_count: number;
  readonly expired_count: number;
  readonly pending_count: number;
}

export interface TransactionList {
  readonly transactions: readonly Transaction[];
  readonly every_status: Counts;
  readonly pagination: { readonly total_items: number };
}

/** An open prompt, as its customer sees it. */
export interface Prompt {
  readonly checkout_request_id: string;
  readonly phone: string;
  readonly business: string;
  readonly amount: number;
  readonly reference: string | null;
  readonly description: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly expires_at_ms: number;
}

/** A call of the merchant API, as it came and as it was answered. */
export interface LoggedRequest {
  readonly id: number;
  readonly at: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of it, as of the answer. */
  readonly body: string | null;
  readonly body_cut_bytes: number;
  /** Null where the connection was closed without an answer. */
  readonly status: number | null;
  /** A text where it was cut, and is JSON no more. */
  readonly answer: unknown;
  readonly answer_cut_bytes: number;
  readonly fault: string | null;
  /** What the lenient form alone took. */
  readonly leniencies: readonly { readonly member: string; readonly came: string }[];
  /** Whether the strict form refused what the lenient one takes. */
  readonly lenient_takes: boolean;
}

/** A page of the log, oldest first. */
export interface RequestPage {
  readonly requests: readonly LoggedRequest[];
  /** Null where there are none before it. */
  readonly next: string | null;
}

/** A call that concerns one payment, with the time since the one before. */
export interface StoryRequest extends LoggedRequest {
  readonly interval_ms: number | null;
}

export interface Decision {
  readonly who: "header" | "rule" | "network_limit" | "test_phone" | "default" | "person" | "deadline";
  readonly rule?: number;
  readonly outcome: string;
  readonly at_ms: number | null;
  readonly in_words: string;
}

/** A message for the webhook, and what came of it. */
export interface Delivery {
  readonly id: number;
  readonly checkout_request_id: string;
  readonly state: "waiting" | "sending" | "delivered" | "failed" | "lost";
  readonly due_at: string;
  readonly attempts: readonly {
    readonly at: string;
    readonly at_ms: number;
    readonly duration_ms: number;
    readonly status: number | null;
    readonly problem: string | null;
  }[];
  readonly body: object;
}

/** A payment from its beginning to its end. */
export interface Story {
  readonly transaction: Transaction;
  /** Who started it where no client did, as far as the server remembers. */
  readonly started_by: "console" | "control_api" | null;
  readonly prompt: Prompt;
  readonly decided_by: Decision | null;
  /** The start and the last polls. */
  readonly requests: readonly StoryRequest[];
  readonly requests_left_out: number;
  readonly result: {
    readonly code: number;
    readonly description: string;
    readonly meaning: string;
    readonly advice: string;
  } | null;
  readonly sms: string | null;
  /** Empty where no webhook was set. */
  readonly webhooks: readonly Delivery[];
}

/** A text message on a customer's phone. */
export interface Message {
  readonly phone: string;
  readonly text: string;
  readonly at: string;
  readonly at_ms: number;
  readonly checkout_request_id: string;
}

export interface Merchant {
  readonly id: number;
  readonly name: string;
}

export interface Account {
  readonly id: number;
  readonly merchant_id: number;
  readonly name: string;
  readonly fee: string;
}

export interface Key {
  readonly api_key: string;
  readonly merchant_id: number;
  readonly label: string;
  readonly revoked: boolean;
}

/** A key at the one moment when its secret is known. */
export interface NewKey extends Omit<Key, "revoked"> {
  readonly api_secret: string;
}

export interface Rule {
  readonly match: {
    readonly phone?: string;
    readonly amount?: number;
    readonly payment_account_id?: number;
    readonly reference?: string;
  };
  readonly outcome: string;
  readonly after?: string;
  readonly times?: number;
}

export interface Fault {
  readonly path?: string;
  readonly kind: "error" | "delay" | "disconnect";
  readonly status?: number;
  readonly delay?: string;
  readonly probability: number;
  readonly times?: number;
}

export interface Outcome {
  readonly name: string;
  readonly phone: string;
  readonly meaning: string;
  readonly status: Status | null;
  readonly code: number | null;
  readonly after: string | null;
}

/** What prompts do where nothing else decides. */
export interface Default {
  readonly outcome: string;
  readonly after: string | null;
}

/** What time it is for momo. */
export interface ClockReading {
  readonly now_ms: number;
  readonly frozen: boolean;
}

/** What snippets and commands need. Nothing in it is secret. */
export interface ServerFacts {
  readonly base_url: string;
  readonly control_url: string;
  readonly version: string;
  /** What people call this sandbox; null where nobody named it. */
  readonly name: string | null;
  readonly accept: "strict" | "lenient";
  readonly default_merchant_id: number;
  /** Null where there is none yet. */
  readonly payment_account_id: number | null;
  readonly api_key: string | null;
  readonly prompt_timeout_ms: number;
  readonly data: string | null;
}

/** What a client did wrong, and at which calls it shows. */
export interface Finding {
  readonly kind: string;
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  readonly advice: string;
  /** Of the specification. */
  readonly section: string;
  readonly request_ids: readonly number[];
  readonly checkout_request_id: string | null;
  readonly reference: string | null;
  readonly first_at: string;
  readonly count: number;
}

/** What the sandbox tells as it happens. */
export type ConsoleEvent =
  | { readonly name: "transaction"; readonly data: TransactionEvent }
  | { readonly name: "request"; readonly data: LoggedRequest }
  | { readonly name: "message"; readonly data: Message }
  | { readonly name: "audit"; readonly data: Finding }
  | { readonly name: "webhook"; readonly data: Delivery }
  | { readonly name: "steering"; readonly data: { readonly what: SteeringPart } }
  | { readonly name: "gap"; readonly data: object };

export type SteeringPart = "rules" | "faults" | "clock" | "default" | "webhook" | "registry" | "restore" | "reset";
