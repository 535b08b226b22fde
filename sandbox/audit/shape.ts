import type { Severity } from "./severity.ts";

/** What a report has. The page in the browser has these types, too: they need nothing else of the audit. */

/** One of the equal mistakes of a finding. */
export interface Example {
  /** What happened. */
  readonly message: string;
  readonly request_ids: readonly number[];
  /** The payments that it is about: a second charge is about two. */
  readonly checkout_request_ids: readonly string[];
  readonly checkout_request_id: string | null;
  readonly reference: string | null;
}

/** A mistake in a report, also in JSON. The facts of the first one stand beside its count; requests and payments are those of all. */
export interface Finding extends Example {
  readonly kind: string;
  readonly severity: Severity;
  readonly advice: string;
  readonly section: string;
  readonly first_at: string;
  readonly count: number;
  readonly examples: readonly Example[];
}

/** Refusals that are equal: they have one status, and the same is wrong. */
export interface Refusals {
  /** Null if the answer was lost. */
  readonly status: number | null;
  /** Of the first. */
  readonly message: string;
  count: number;
}

/** What happened in a run, whether it was right or wrong. Every report begins with it. */
export interface Tally {
  readonly requests: number;
  readonly accepted: number;
  /** The most frequent first. */
  readonly refused: readonly Readonly<Refusals>[];
  /** How many more were refused, for other reasons. */
  readonly refused_left_out: number;
  /** For their path, method, credentials or origin. */
  readonly refused_before_operations: number;
  /** The connection ended first. */
  readonly answers_not_delivered: number;
  /** How many were refused for what the lenient form takes. */
  readonly lenient_takes: number;
  readonly payments: {
    readonly started: number;
    readonly paid: number;
    /** Payments that ended, and whose client did not learn how. */
    readonly not_learned: number;
    /** How many are compared with each other; older ones are judged by how they ended. */
    readonly one_by_one: number;
  };
  readonly deliveries: { readonly sent: number; readonly not_taken: number };
  /** 1, and one more for each reset or restore. */
  readonly chapters: number;
}
