/** The types of the test helper. scripts/release/declarations.ts publishes them without imports. */

import type {
  AuditReport,
  DeliveryRecord,
  FaultInput,
  Issue,
  OutcomeName,
  RequestRecord,
  RuleInput,
  Status,
  TransactionRecord,
  WebhookInput,
} from "./records.ts";

/** What methods reject with if the sandbox refuses: its message, its HTTP status, and what is wrong where. */
export interface Refusal extends Error {
  readonly status: number;
  readonly issues: readonly Issue[];
}

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
  /** Be like another service: the path of the file with its profile. */
  readonly profile?: string;
  /** The address to which each payment that becomes final is POSTed. The specification has no webhooks. */
  readonly webhook?: string;
  /** Whether the clock is frozen from the start, so that only the test moves it. By default it does not. */
  readonly frozen?: boolean;
  /** When the clock starts: `2026-03-31 23:59:50` in Nairobi, frozen; `TIME; running` lets it run. */
  readonly clock?: string;
  /** The text that identifiers and drawn faults come from: with `clock`, the same calls give the same answers in each run. */
  readonly seed?: string;
}

/** A sandbox that runs. What is left out comes from MOMO_BASE_URL and so on. */
export interface SandboxAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number;
  /** By default `/_momo` on the host of `baseUrl`. */
  readonly controlUrl: string;
  /** A sandbox needs it if it is reached by another address than a loopback one. */
  readonly controlToken?: string;
}

export interface TestSandbox {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number;
  /** The headers that every operation needs (§5). */
  readonly headers: Record<string, string>;
  readonly rules: {
    /** Appends rules to those in force. Resolves to their ids. */
    add(...rules: RuleInput[]): Promise<number[]>;
    /** Removes one, by its id. */
    remove(id: number): Promise<void>;
    clear(): Promise<void>;
  };
  readonly faults: {
    /** Adds faults to those in force. Resolves to their ids. */
    add(...faults: FaultInput[]): Promise<number[]>;
    /** Replaces all; the same seed gives the same faults. Resolves to the seed. */
    set(faults: FaultInput[], seed?: number): Promise<number>;
    /** Removes one, by its id. */
    remove(id: number): Promise<void>;
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
    /** A duration such as `3s`, or milliseconds. What falls due is resolved when this resolves. */
    advance(duration: string | number): Promise<void>;
    /** To an instant that has not passed: `2026-11-27 00:30` in Nairobi, or one with an offset. */
    advanceTo(time: string): Promise<void>;
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
  /** What the client under test has done until now, and done wrong. */
  audit(): Promise<AuditReport>;
  /** Removes what `audit` has found: a reset does not. */
  forgetFindings(): Promise<void>;
  /** Saves the whole state under a name of letters, digits, - and _. */
  snapshot(name: string): Promise<void>;
  /** Restores the whole state, the clock too. Only merchants, accounts and keys do not change. */
  restore(name: string): Promise<void>;
  /** Forgets transactions, rules, faults, log and clock. Findings of the audit stay. */
  reset(): Promise<void>;
  /** Stops the sandbox, and removes its data. One that was only connected goes on. */
  stop(): Promise<void>;
}

/**
 * Starts a private sandbox: the executable on a free port, with a temporary folder. It ends with this process at the latest.
 * @throws Error with momo's message for wrong options
 */
export type StartSandbox = (options?: SandboxOptions) => Promise<TestSandbox>;

/**
 * Connects to a sandbox that runs: that of `momo exec`, the action, a service or compose.
 * @throws Error that names the variable that is missing or wrong, or says why the sandbox does not answer
 */
export type ConnectSandbox = (address?: Partial<SandboxAddress>) => Promise<TestSandbox>;
