import { redact } from "../../src/domain/redact.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Explanation, Kind, Verdict } from "./rule.ts";
import { SEVERITIES, type Severity } from "./severity.ts";
import type { Example, Finding } from "./shape.ts";

/** How many findings are kept; more are only counted. */
const MOST_FINDINGS = 1000;

/** How many requests a finding names, and how many payments. */
const MOST_IDS = 50;

const MOST_EXAMPLES = 3;

/** Equal mistakes, counted. */
export class Kept {
  count = 1;
  readonly #kind: Kind;
  readonly #severity: Severity;
  readonly #first: Explanation;
  readonly #examples: Example[] = [];
  /** Those of the examples. */
  readonly #payments: Explanation["payment"][] = [];
  readonly #requestIds = new Set<number>();
  readonly #paymentIds = new Set<string>();

  constructor(kind: Kind, severity: Severity, first: Explanation) {
    this.#kind = kind;
    this.#severity = severity;
    this.#first = first;
    this.#addExample(first);
    this.#addIds(exampleOf(first));
  }

  get atMs(): number {
    return this.#first.atMs;
  }

  /** A run without an accepted request comes first, because it explains the rest. Of equal severity, a second charge comes first: it costs money. */
  get rank(): number {
    if (this.#kind.kind === "nothing_accepted") return -1;
    return SEVERITIES.indexOf(this.#severity) + (this.#kind.kind === "charges_twice" ? 0 : 0.5);
  }

  /** Whether one more mistake is shown, and not only counted: there is room for its requests, or its payment is a new example. */
  shows(payment: Explanation["payment"]): boolean {
    return this.#hasRoom || this.#isNewExample(payment);
  }

  get #hasRoom(): boolean {
    return this.#requestIds.size < MOST_IDS;
  }

  /** With a seed, payments before and after a reset have the same ids, but seldom the same references. */
  #isNewExample(payment: Explanation["payment"]): boolean {
    if (payment === null || this.#first.payment === null || this.#examples.length === MOST_EXAMPLES) return false;
    const { checkoutRequestId: id, reference } = payment;
    return this.#payments.every((one) => one?.checkoutRequestId !== id || one.reference !== reference);
  }

  /** One more mistake. @param explanation null if it is only counted */
  repeat(explanation: Explanation | null): void {
    this.count += 1;
    if (explanation === null) return;
    this.#addIds(exampleOf(explanation));
    if (this.#isNewExample(explanation.payment)) this.#addExample(explanation);
  }

  #addExample(explanation: Explanation): void {
    this.#payments.push(explanation.payment);
    this.#examples.push(exampleOf(explanation));
  }

  #addIds({ request_ids, checkout_request_ids }: Pick<Example, "request_ids" | "checkout_request_ids">): void {
    for (const id of request_ids) if (this.#hasRoom) this.#requestIds.add(id);
    for (const id of checkout_request_ids) if (this.#paymentIds.size < MOST_IDS) this.#paymentIds.add(id);
  }

  copy(): Kept {
    const copy = new Kept(this.#kind, this.#severity, this.#first);
    copy.count = this.count;
    copy.#examples.splice(0, 1, ...this.#examples);
    copy.#payments.splice(0, 1, ...this.#payments);
    copy.#addIds({ request_ids: [...this.#requestIds], checkout_request_ids: [...this.#paymentIds] });
    return copy;
  }

  /** As it is now: what was announced stays as it was. */
  show(): Finding {
    const { kind, section, advice } = this.#kind;
    const [first] = this.#examples;
    return {
      kind,
      severity: this.#severity,
      message: this.#first.message,
      advice: this.#first.advice ?? advice,
      section,
      // In the order of the log: a slow push stands after the one that repeats it.
      request_ids: [...this.#requestIds].sort((one, other) => one - other),
      checkout_request_ids: [...this.#paymentIds],
      checkout_request_id: first?.checkout_request_id ?? null,
      reference: first?.reference ?? null,
      first_at: formatTimestamp(this.#first.atMs),
      count: this.count,
      examples: [...this.#examples],
    };
  }
}

function exampleOf({ message, requestIds, payment, payments = [payment] }: Explanation): Example {
  return {
    message,
    checkout_request_ids: payments.flatMap((one) => (one === null ? [] : [one.checkoutRequestId])),
    request_ids: [...requestIds],
    checkout_request_id: payment?.checkoutRequestId ?? null,
    reference: payment?.reference ? redact(payment.reference) : null,
  };
}

/** The findings, one for each kind, severity and group, in bounded memory. */
export class FindingBook {
  readonly #kept = new Map<string, Kept>();
  /** How many mistakes did not fit. */
  omitted = 0;

  find(kind: Kind, { severity = kind.severity, group }: Verdict): Kept | undefined {
    return this.#kept.get(keyOf(kind, severity, group));
  }

  /** A mistake that equals no other one. @returns null if there is no room */
  open(kind: Kind, { severity = kind.severity, group }: Verdict, first: Explanation): Kept | null {
    if (this.#kept.size >= MOST_FINDINGS) {
      this.omitted += 1;
      return null;
    }
    const kept = new Kept(kind, severity, first);
    this.#kept.set(keyOf(kind, severity, group), kept);
    return kept;
  }

  copy(): FindingBook {
    const copy = new FindingBook();
    for (const [key, kept] of this.#kept) copy.#kept.set(key, kept.copy());
    copy.omitted = this.omitted;
    return copy;
  }

  /** The worst first, then the oldest. See {@link Kept.rank}. */
  list(): Finding[] {
    return [...this.#kept.values()].sort((a, b) => a.rank - b.rank || a.atMs - b.atMs).map((kept) => kept.show());
  }
}

/** With the severity, so that an error is never counted as a repetition of a warning. */
const keyOf = (kind: Kind, severity: Severity, group: string): string => `${kind.kind} ${severity} ${group}`;
