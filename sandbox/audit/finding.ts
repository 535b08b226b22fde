import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { FindingOnWire } from "../control/shapes/requests.ts";
import { FINDING_KINDS, type FindingKind, SEVERITIES, type Severity } from "./kinds.ts";

/** A mistake in a report, also in JSON. */
export type Finding = FindingOnWire;

/** How many findings are kept; more are only counted. */
const MOST_FINDINGS = 1000;

/** How many requests a finding names. */
const MOST_REQUEST_IDS = 50;

/** A mistake, as a rule describes it. */
export interface Mistake {
  readonly kind: FindingKind;
  /** Distinguishes findings of one kind: a payment, a path or a member. */
  readonly subject: string;
  /** By default that of the kind. */
  readonly severity?: Severity;
  readonly requestIds: readonly number[];
  readonly payment?: { readonly checkoutRequestId: string; readonly reference: string | null } | null;
  readonly atMs: number;
  readonly message: string;
  /** By default that of the kind. */
  readonly advice?: string;
}

/** The first finding of a mistake, and how often it was repeated. */
interface Kept {
  readonly first: Finding;
  readonly atMs: number;
  readonly requestIds: number[];
  count: number;
  /** Whether it cannot turn out to be untrue any more. */
  isSettled: boolean;
}

/** The findings, one for each kind and subject, in bounded memory. */
export function createFindingBook() {
  const kept = new Map<string, Kept>();
  let leftOut = 0;
  const keyOf = ({ kind, subject }: Pick<Mistake, "kind" | "subject">) => `${kind} ${subject}`;

  return {
    /** @returns the finding, if it should be announced, else null */
    add(mistake: Mistake): Finding | null {
      const known = kept.get(keyOf(mistake));
      if (known) return repeat(known, mistake.requestIds.at(-1)) ? nowOf(known) : null;
      if (kept.size >= MOST_FINDINGS) {
        leftOut += 1;
        return null;
      }
      const first = newKept(mistake);
      kept.set(keyOf(mistake), first);
      return nowOf(first);
    },
    /** From now on it cannot be removed. */
    settle(kind: FindingKind, subject: string): void {
      const known = kept.get(keyOf({ kind, subject }));
      if (known) known.isSettled = true;
    },
    /** @returns whether it was removed */
    remove(kind: FindingKind, subject: string): boolean {
      const key = keyOf({ kind, subject });
      return kept.get(key)?.isSettled === false && kept.delete(key);
    },
    /** The findings and `others`, the worst first, then the oldest. */
    list(others: readonly Mistake[]): Finding[] {
      const added = others.filter((mistake) => !kept.has(keyOf(mistake))).map(newKept);
      return [...kept.values(), ...added].sort((a, b) => rank(a) - rank(b) || a.atMs - b.atMs).map(nowOf);
    },
    /** How many did not fit. */
    get leftOut() {
      return leftOut;
    },
    clear(): void {
      kept.clear();
      leftOut = 0;
    },
  };
}

/**
 * Counts the mistake.
 * @returns whether to announce it: after many requests only at each doubling, so that a client that polls too fast does not flood
 * the events
 */
function repeat(known: Kept, requestId: number | undefined): boolean {
  known.count += 1;
  const { requestIds, count } = known;
  const isFull = requestIds.length >= MOST_REQUEST_IDS;
  if (requestId === undefined || isFull || requestIds.includes(requestId)) return (count & (count - 1)) === 0;
  requestIds.push(requestId);
  return true;
}

const newKept = (mistake: Mistake): Kept => {
  const first = findingOf(mistake);
  return { first, atMs: mistake.atMs, requestIds: [...first.request_ids], count: 1, isSettled: false };
};

/** The finding with its present counts. */
const nowOf = ({ first, requestIds, count }: Kept): Finding => ({ ...first, request_ids: [...requestIds], count });

/** A run without an accepted request comes first, because it explains the rest. */
const rank = ({ first: { kind, severity } }: Kept) => (kind === "nothing_accepted" ? -1 : SEVERITIES.indexOf(severity));

function findingOf({ kind, severity, requestIds, payment, atMs, message, advice }: Mistake): Finding {
  const facts = FINDING_KINDS[kind];
  return {
    kind,
    severity: severity ?? facts.severity,
    message,
    advice: advice ?? facts.advice,
    section: facts.section,
    request_ids: requestIds.slice(0, MOST_REQUEST_IDS),
    checkout_request_id: payment?.checkoutRequestId ?? null,
    reference: payment?.reference ?? null,
    first_at: formatTimestamp(atMs),
    count: 1,
  };
}
