/** The types of `momo-sandbox/testing`. This file is published as the declarations, so it imports nothing. */

export type Status = "pending" | "completed" | "failed" | "cancelled" | "expired";
export type OutcomeName =
  | "completed"
  | "completed_late"
  | "insufficient_funds"
  | "over_limit"
  | "rule_limited"
  | "push_error"
  | "unreachable"
  | "wrong_pin"
  | "pin_locked"
  | "cancelled"
  | "expired"
  | "silent"
  | "refused"
  | "manual";

export interface SandboxOptions {
  /** What prompts do if nothing else decides: `NAME` or `NAME; after=DURATION`. By default `completed` after 3 s. */
  readonly outcome?: OutcomeName | `${OutcomeName};${string}`;
  /** How long a prompt waits for its customer: a duration such as `60s`, the default. */
  readonly promptTimeout?: string;
  /** By default `/v2`, and the same at `/api/v2`. */
  readonly basePath?: string;
  /** What a client may send: by default `strict`; `lenient` also accepts what the real services accept. */
  readonly accept?: "strict" | "lenient";
  /** By default `full`. */
  readonly responseForm?: "full" | "short";
  /** Be like another service: the name of a profile that comes with momo, or the path of its file. */
  readonly profile?: string;
  /** The address to which each payment that becomes final is POSTed. The specification has no webhooks. */
  readonly webhook?: string;
  /** Whether the clock is frozen from the start, so that only the test moves it. By default it does not. */
  readonly frozen?: boolean;
}

/** What the prompts that match do. */
export interface RuleInput {
  match?: {
    phone?: string | undefined;
    amount?: number | undefined;
    payment_account_id?: number | undefined;
    reference?: string | undefined;
  };
  outcome: OutcomeName;
  /** A duration. */
  after?: string | undefined;
  /** For how many prompts; by default for all. */
  times?: number | undefined;
}

/** An injected failure of the merchant API. */
export interface FaultInput {
  path?: "/stkpush.php" | "/status.php" | "/transactions.php" | undefined;
  kind: "error" | "delay" | "disconnect";
  /** Of an error; by default 500. */
  status?: number | undefined;
  /** A duration, of a delay. */
  delay?: string | undefined;
  probability?: number | undefined;
  times?: number | undefined;
}

/** Where payments that become final are POSTed, and what goes wrong on the way. */
export interface WebhookInput {
  url: string;
  form?: "payment.updated" | "flat" | undefined;
  /** How often each message is sent; 0: never. */
  times?: number | undefined;
  /** A duration. */
  delay?: string | undefined;
  /** Whether a message is sent before the answer to the push. */
  early?: boolean | undefined;
}

/** A message for the webhook, and its attempts. */
export interface DeliveryRecord {
  readonly id: number;
  readonly checkout_request_id: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly resend_of?: number | undefined;
  readonly due_at: string;
  readonly due_at_ms: number;
  readonly attempts: readonly {
    readonly at: string;
    readonly at_ms: number;
    readonly duration_ms: number;
    readonly status: number | null;
    readonly answer: string | null;
    readonly problem: string | null;
  }[];
  readonly headers: { readonly [name: string]: string };
  readonly body: { readonly [member: string]: unknown };
}

/** A transaction as the list shows it (§2.2). */
export interface TransactionRecord {
  readonly id: number;
  readonly kind: string;
  readonly type: string;
  readonly status: Status;
  readonly amount: number;
  readonly fee_amount: number;
  readonly fee_deducted: boolean;
  readonly phone: string;
  readonly transaction_code: string | null;
  readonly momo_receipt_number: string | null;
  readonly checkout_request_id: string;
  readonly merchant_request_id: string;
  readonly is_deposit: boolean;
  readonly credit_target: null;
  readonly payment_link_id: null;
  readonly result_code: number | null;
  readonly result_desc: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
}

/** A request of the merchant API, as in the log. */
export interface RequestRecord {
  readonly id: number;
  readonly at: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly method: string;
  readonly target: string;
  readonly headers: { readonly [name: string]: string };
  /** The first 4,096 characters. */
  readonly body: string | null;
  readonly body_cut_bytes: number;
  readonly status: number | null;
  /** The parsed JSON. If it is longer than 4,096 characters, their text. */
  readonly answer: unknown;
  readonly answer_cut_bytes: number;
  readonly fault: "error" | "delay" | "disconnect" | null;
  /** What only the lenient form accepted. */
  readonly leniencies: readonly { readonly member: string; readonly came: string }[];
  /** Whether the strict form refused what the lenient one takes. */
  readonly lenient_takes: boolean;
}

/** What the client under test has done, and done wrong. */
export interface AuditReport {
  readonly requests: number;
  readonly accepted: number;
  /** The refusals by status and message, the most frequent first. A status is null if the answer was lost. */
  readonly refused: readonly { readonly status: number | null; readonly message: string; readonly count: number }[];
  readonly refused_left_out: number;
  readonly payments: {
    readonly started: number;
    readonly paid: number;
    /** Payments that have ended, and no answer has told the client how. */
    readonly not_followed: number;
  };
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  readonly left_out: number;
  /** The worst first. */
  readonly findings: readonly Finding[];
}

/** A mistake of the client under test. */
export interface Finding {
  readonly kind: string;
  readonly severity: "error" | "warning" | "note";
  /** What happened. */
  readonly message: string;
  /** What would be right. */
  readonly advice: string;
  readonly section: string;
  /** The requests in the log, the oldest first. */
  readonly request_ids: readonly number[];
  readonly checkout_request_id: string | null;
  readonly reference: string | null;
  readonly first_at: string;
  readonly count: number;
}

export interface TestSandbox {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number;
  /** The headers that every operation needs (§5). */
  readonly headers: Record<string, string>;
  readonly rules: { add(...rules: RuleInput[]): Promise<void>; clear(): Promise<void> };
  readonly faults: {
    /** Replaces all; the same seed gives the same faults. Resolves to the seed. */
    set(faults: FaultInput[], seed?: number): Promise<number>;
    clear(): Promise<void>;
  };
  readonly webhook: {
    /** For the payments that become final from now on. */
    set(webhook: WebhookInput): Promise<void>;
    clear(): Promise<void>;
    /** Oldest first. */
    deliveries(): Promise<DeliveryRecord[]>;
    /** Sends one again, as a new delivery. */
    resend(id: number): Promise<DeliveryRecord>;
  };
  readonly clock: {
    freeze(): Promise<void>;
    /** A duration. What falls due is resolved when this resolves. */
    advance(duration: string): Promise<void>;
    resume(): Promise<void>;
  };
  /** Answers a prompt, as its customer or as the network. */
  answer(
    checkoutRequestId: string,
    answer: { readonly pin: string } | { readonly outcome: OutcomeName },
  ): Promise<TransactionRecord>;
  /** Resolves when the transaction has this status; rejects at the time-out (a duration in real time, by default 10s). */
  wait(
    payment: { readonly checkoutRequestId: string } | { readonly reference: string },
    until?: "final" | Status,
    timeout?: string,
  ): Promise<TransactionRecord>;
  /** The last 1,000 requests of the merchant API, oldest first. */
  requests(): Promise<RequestRecord[]>;
  /** What the client under test has done until now, and done wrong. If no request was accepted, that is an error. */
  audit(): Promise<AuditReport>;
  /** Saves the whole state under a name of letters, digits, - and _. */
  snapshot(name: string): Promise<void>;
  /** Restores the whole state, the clock too. Only merchants, accounts and keys do not change. */
  restore(name: string): Promise<void>;
  /** Forgets transactions, rules, faults, log, audit and clock. */
  reset(): Promise<void>;
  /** Stops the sandbox, and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a private sandbox: the executable on a free port, with a temporary folder. It ends with this process at the latest.
 * @throws Error with momo's message for wrong options
 */
export type StartSandbox = (options?: SandboxOptions) => Promise<TestSandbox>;
