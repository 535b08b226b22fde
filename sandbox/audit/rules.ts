import type { AnsweredRequest } from "../request-log.ts";
import type { Moment } from "./call.ts";
import type { Mistake } from "./finding.ts";
import type { FindingKind } from "./kinds.ts";
import type { Payment, PaymentBook } from "./payments.ts";

/** A request and its parts, for the rules. */
export interface Reading {
  readonly call: AnsweredRequest;
  /** When it was answered. */
  readonly at: Moment;
  /** The raw query. */
  readonly query: string;
  /** The base path that the client used, or the default. */
  readonly base: string;
}

/** What each operation accepts, by its path: the members of its body, or the parameters of its query. */
export type Inputs = ReadonlyMap<string, readonly string[]>;

/** A request for the list. */
export interface Look {
  /** In real time. */
  readonly cameMs: number;
  readonly answeredMs: number;
  /** The text that was searched for. */
  readonly search: string | null;
  /** The payments in the answer, by number. */
  readonly shown: ReadonlySet<number>;
  /** Why there was no answer with 200. */
  readonly refusal: string | null;
  readonly isByMomo: boolean;
}

/** Whom a push charges, and for what. */
export interface Charge {
  readonly paymentAccountId: number;
  readonly phone: string;
  readonly amountCents: number;
  readonly reference: string | null;
}

/** A push that was answered with 5xx or not at all, and started no payment. */
export interface Attempt extends Charge {
  readonly requestId: number;
  readonly cameMs: number;
  readonly status: number | null;
}

/** What the rules of one audit share. */
export interface AuditState {
  readonly payments: PaymentBook;
  readonly inputs: () => Inputs;
  /** The last push, if it was refused. */
  lastRefusal: { readonly requestId: number; readonly status: number | null } | null;
  /** The last requests for the list. */
  readonly looks: Look[];
  /** The last pushes that started no payment, although their client cannot know that. */
  readonly attempts: Attempt[];
  /** Whether a webhook is set. */
  readonly hasWebhook: () => boolean;
  /** Counts a payment that a client has started. */
  started(payment: Payment): void;
  /**
   * Removes a finding that turned out to be untrue.
   * @returns false if it stays, because it is also about payments that are forgotten
   */
  withdraw(kind: FindingKind, subject: string): boolean;
  add(mistake: Mistake): void;
}

/** A client that lost an answer looks soon after: older requests do not matter. */
export const MOST_LOOKS = 16;

/** The polling pattern of §4.4: how long a client polls. */
export const PATTERN_MS = 120_000;

/** The polling pattern of §4.4: how many polls that are, at the shortest interval. */
export const PATTERN_POLLS = 24;

/** A duration in words. */
export function inSeconds(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${Math.round(durationMs / 100) / 10} s`;
}
