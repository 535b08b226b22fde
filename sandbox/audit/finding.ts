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
  /** Distinguishes findings of one kind: a path, a member, or by default the payment. */
  readonly subject?: string;
  /** By default that of the kind. */
  readonly severity?: Severity;
  /** By default the request that just came, and its time. */
  readonly requestIds?: readonly number[];
  readonly atMs?: number;
  readonly payment?: { readonly checkoutRequestId: string; readonly reference: string | null } | null;
  readonly message: string;
  /** By default that of the kind. */
  readonly advice?: string;
  /** Whether later events can change it: then each report judges it again. */
  readonly isRevisable?: boolean;
}

/** A mistake with its requests, and when it was made. */
export type DatedMistake = Mistake & Required<Pick<Mistake, "requestIds" | "atMs">>;

/** The first finding of a mistake, and how often it was repeated. */
interface Kept {
  readonly first: Finding;
  readonly atMs: number;
  readonly requestIds: number[];
  count: number;
}

/** The findings, one for each kind, severity and subject, in bounded memory. */
export function createFindingBook() {
  const kept = new Map<string, Kept>();
  let omitted = 0;

  return {
    /** @returns the finding, if it should be announced, else null */
    add(mistake: DatedMistake): Finding | null {
      if (kept.size >= MOST_FINDINGS && !kept.has(keyOf(mistake))) {
        omitted += 1;
        return null;
      }
      return addTo(kept, mistake);
    },
    /** The findings and those of `others`, the worst first, then the oldest. */
    list(others: readonly DatedMistake[]): Finding[] {
      const all = new Map([...kept].map(([key, one]) => [key, { ...one, requestIds: [...one.requestIds] }]));
      for (const mistake of others) addTo(all, mistake);
      return [...all.values()].sort((a, b) => rank(a) - rank(b) || a.atMs - b.atMs).map(withCounts);
    },
    /** How many did not fit. */
    get omitted() {
      return omitted;
    },
  };
}

/** With the severity, so that an error is never counted as a repetition of a warning. */
const keyOf = ({ kind, severity, payment, subject = payment?.checkoutRequestId }: Mistake): string =>
  `${kind} ${severity ?? FINDING_KINDS[kind].severity} ${subject}`;

/** @returns the finding, if it should be announced, else null */
function addTo(kept: Map<string, Kept>, mistake: DatedMistake): Finding | null {
  const key = keyOf(mistake);
  const same = kept.get(key);
  if (same) return repeat(same, mistake.requestIds.at(-1)) ? withCounts(same) : null;
  const first = findingOf(mistake);
  const added = { first, atMs: mistake.atMs, requestIds: [...first.request_ids], count: 1 };
  kept.set(key, added);
  return withCounts(added);
}

/**
 * Counts the mistake.
 * @returns whether to announce it: after many requests only at each doubling, so that a client that polls too fast does not flood
 * the events
 */
function repeat(kept: Kept, requestId: number | undefined): boolean {
  kept.count += 1;
  const { requestIds, count } = kept;
  const isFull = requestIds.length >= MOST_REQUEST_IDS;
  if (requestId === undefined || isFull || requestIds.includes(requestId)) return (count & (count - 1)) === 0;
  requestIds.push(requestId);
  return true;
}

/** A slow push stands in the log after the one that repeats it. */
const withCounts = ({ first, requestIds, count }: Kept): Finding => ({
  ...first,
  request_ids: requestIds.toSorted((one, other) => one - other),
  count,
});

/** A run without an accepted request comes first, because it explains the rest. */
const rank = ({ first: { kind, severity } }: Kept) => (kind === "nothing_accepted" ? -1 : SEVERITIES.indexOf(severity));

function findingOf({ kind, severity, requestIds, payment, atMs, message, advice }: DatedMistake): Finding {
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
