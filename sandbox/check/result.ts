import type { Behaviour, Breaks, Fact, Note, Stop } from "./fact.ts";

/** What a check of a service has found, as data. `report.ts` writes it. */

/** A request and its answer, without credentials, phones and receipts. */
export interface Evidence {
  /** The request, for a shell that has MOMO_API_KEY and MOMO_API_SECRET. */
  readonly curl: string;
  /** Null if no answer came. */
  readonly status: number | null;
  /** The beginning of the body, or why there is none. */
  readonly answer: string;
}

/**
 * A stated sentence `holds` or `fails`. A silent one is `recorded`: the specification does not say what is right. `skipped`: there
 * was nothing to check it with.
 */
export type Verdict = "holds" | "fails" | "recorded" | "skipped";

/** A sentence of the specification, and what became of it. */
export interface Checked {
  readonly id: string;
  /** Such as `§4.3`. */
  readonly section: string;
  readonly sentence: string;
  /** What suffers where it does not hold. */
  readonly breaks: Breaks;
  readonly verdict: Verdict;
  /** What the service does, why the sentence does not hold, or why it was skipped. Null where it holds. */
  readonly fact: Fact | null;
  /** What momo does, where the specification is silent. */
  readonly momo: Behaviour | null;
  /** What shows it. */
  readonly evidence: Evidence | null;
}

export interface CheckReport {
  readonly target: string;
  /** In Nairobi. */
  readonly startedAt: string;
  readonly requests: number;
  /** Why not all was checked; null if all was. */
  readonly stopped: Stop | null;
  readonly notes: readonly Note[];
  readonly checked: readonly Checked[];
  /** What the service does where the specification is silent, as `momo serve --profile` takes it. */
  readonly profile: object;
  /** The ids of the sentences that the service answers otherwise than `momo serve` with this profile, or of which that is not known. */
  readonly notImitated: readonly string[];
}

/** The sections of the specification. */
export const SECTIONS: Readonly<Record<string, string>> = {
  "§1": "What the service does",
  "§2.1": "Payment account",
  "§2.2": "Transaction",
  "§2.3": "Pagination",
  "§2.4": "Summary",
  "§3": "States and transitions",
  "§4": "Endpoints",
  "§4.1": "Start a payment",
  "§4.2": "Check payment status",
  "§4.3": "List transactions",
  "§4.4": "Polling",
  "§5": "Authentication",
  "§7": "Errors",
  "§8": "Limits",
  "§9": "Versioning",
};
