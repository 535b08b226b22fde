import type { Facts } from "./facts/facts.ts";
import type { Payment, Push } from "./facts/payment.ts";
import type { ClientRequest, Operation } from "./facts/request.ts";
import { FindingBook, type Kept } from "./finding.ts";
import type {
  Explanation,
  Kind,
  ListRule,
  Occasion,
  PaymentRule,
  PushRule,
  RequestRule,
  Run,
  RunRule,
  Verdict,
} from "./rule.ts";
import { RULES } from "./rules.ts";
import type { Finding } from "./shape.ts";

/** Whether the user knows of a finding, and accepts it. */
export type Accepts = (kind: string, reference: string | null) => boolean;

const REQUEST_RULES: readonly RequestRule[] = RULES.filter((rule) => rule.judges === "requests");
const PUSH_RULES: readonly PushRule[] = RULES.filter((rule) => rule.judges === "pushes");
const PAYMENT_RULES: readonly PaymentRule[] = RULES.filter((rule) => rule.judges === "payments");
const LIST_RULES: readonly ListRule[] = RULES.filter((rule) => rule.judges === "lists");
const RUN_RULES: readonly RunRule[] = RULES.filter((rule) => rule.judges === "runs");

const rulesOf = (operation: Operation) => REQUEST_RULES.filter(({ of }) => of.includes(operation));
const RULES_OF: Readonly<Record<Operation, readonly RequestRule[]>> = {
  push: rulesOf("push"),
  status: rulesOf("status"),
  list: rulesOf("list"),
  method: rulesOf("method"),
  path: rulesOf("path"),
};

/** Applies the rules to the facts, and keeps what they find. */
export class Judge {
  /** How many mistakes were found that the user accepts. */
  accepted = 0;
  readonly #accepts: Accepts | undefined;
  readonly #announce: (finding: Finding) => void;
  readonly #book: FindingBook;

  /** @param announce gets each finding, also a repeated one */
  constructor(accepts: Accepts | undefined, announce: (finding: Finding) => void, book = new FindingBook()) {
    this.#accepts = accepts;
    this.#announce = announce;
    this.#book = book;
  }

  /** What is found so far, for a report: what that adds is announced to nobody. */
  copy(): Judge {
    const copy = new Judge(this.#accepts, () => {}, this.#book.copy());
    copy.accepted = this.accepted;
    return copy;
  }

  /** The worst first, then the oldest. */
  list(): Finding[] {
    return this.#book.list();
  }

  /** How many mistakes did not fit. */
  get omitted(): number {
    return this.#book.omitted;
  }

  request(request: ClientRequest, facts: Facts): void {
    for (const rule of RULES_OF[request.operation]) {
      const found = rule.judge(request, facts);
      if (found === null) continue;
      if (isList(found)) for (const verdict of found) this.#addRequest(rule, request, verdict, facts);
      else this.#addRequest(rule, request, found, facts);
    }
  }

  #addRequest(rule: RequestRule, request: ClientRequest, verdict: Verdict, facts: Facts): void {
    if (this.#isAccepted(rule, request.payment?.reference ?? null)) return;
    const kept = this.#book.find(rule, verdict);
    const explanation =
      kept?.shows(request.payment) === false
        ? null
        : { payments: [request.payment], ...rule.explain(request, verdict, facts) };
    this.#tell(this.#add(rule, verdict, kept, explanation), explanation !== null);
  }

  /**
   * Judges a push that may charge a customer again.
   * @param isTold whether the finding was announced before
   * @returns whether it does
   */
  push(push: Push, isTold = false): boolean {
    let isFound = false;
    for (const rule of PUSH_RULES) {
      const verdict = rule.judge(push);
      if (verdict === null) continue;
      isFound = true;
      if (this.#isAccepted(rule, push.charge.reference)) continue;
      const kept = this.#book.find(rule, verdict);
      const explanation = kept?.shows(push.payment) === false ? null : rule.explain(push, verdict);
      const added = this.#add(rule, verdict, kept, explanation);
      if (!isTold) this.#tell(added, explanation !== null);
    }
    return isFound;
  }

  /** @returns whether the payment ended without its client learning it */
  payment(payment: Payment, occasion: Occasion, facts: Facts): boolean {
    let isBad = false;
    for (const rule of PAYMENT_RULES) {
      const verdict = rule.judge(payment, occasion);
      if (verdict === null) continue;
      isBad ||= verdict.severity !== "note";
      if (this.#isAccepted(rule, payment.reference)) continue;
      const kept = this.#book.find(rule, verdict);
      const explanation = kept?.shows(payment) === false ? null : rule.explain(payment, verdict, occasion, facts);
      this.#tell(this.#add(rule, verdict, kept, explanation), explanation !== null);
    }
    return isBad;
  }

  lists({ listings }: Facts): void {
    for (const rule of LIST_RULES) {
      for (const listing of listings.values()) {
        const verdict = rule.judge(listing);
        if (verdict) this.found(rule, verdict, rule.explain(listing));
      }
    }
  }

  run(run: Run): void {
    for (const rule of RUN_RULES) {
      const verdict = rule.judge(run);
      if (verdict) this.found(rule, verdict, rule.explain(run));
    }
  }

  /** Adds a finding that is about no payment. */
  found(kind: Kind, verdict: Verdict, explanation: Explanation): void {
    if (this.#isAccepted(kind, null)) return;
    this.#tell(this.#add(kind, verdict, this.#book.find(kind, verdict), explanation), true);
  }

  #isAccepted({ kind }: Kind, reference: string | null): boolean {
    const isAccepted = this.#accepts?.(kind, reference) === true;
    if (isAccepted) this.accepted += 1;
    return isAccepted;
  }

  /** @param explanation null if the mistake is only counted */
  #add(kind: Kind, verdict: Verdict, kept: Kept | undefined, explanation: Explanation | null): Kept | null {
    if (kept === undefined) return explanation && this.#book.open(kind, verdict, explanation);
    kept.repeat(explanation);
    return kept;
  }

  /** After many requests only each doubling of the count, so that a client that polls too fast does not flood the events. */
  #tell(kept: Kept | null, isShown: boolean): void {
    if (kept && (isShown || (kept.count & (kept.count - 1)) === 0)) this.#announce(kept.show());
  }
}

const isList = (found: Verdict | readonly Verdict[]): found is readonly Verdict[] => Array.isArray(found);
