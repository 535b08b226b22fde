import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { FINDING_KINDS, type FindingKind, SEVERITIES, type Severity } from "./kinds.ts";

/** A mistake as it is reported, also in JSON. */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** What happened. */
  readonly message: string;
  /** What would be right. */
  readonly advice: string;
  /** Of the specification. */
  readonly section: string;
  /** The calls in the request log, the oldest first; at most {@link MOST_REQUEST_IDS}. */
  readonly request_ids: readonly number[];
  readonly checkout_request_id: string | null;
  readonly reference: string | null;
  /** By the sandbox's clock, in Nairobi. */
  readonly first_at: string;
  /** How often it happened. */
  readonly count: number;
}

/** How many findings are kept; more are only counted. */
export const MOST_FINDINGS = 1000;

/** How many calls a finding names. */
export const MOST_REQUEST_IDS = 50;

/** A mistake at one call. */
export interface Mistake {
  readonly kind: FindingKind;
  /** By default the kind's own. */
  readonly severity?: Severity;
  /** Distinguishes findings of one kind: a payment, a path or a member. */
  readonly subject: string;
  readonly requestIds: readonly number[];
  readonly payment: { readonly checkoutRequestId: string; readonly reference: string | null } | null;
  readonly atMs: number;
  /** Only called for the first of its kind and subject. */
  readonly message: () => string;
}

interface Kept {
  finding: Finding;
  readonly atMs: number;
}

/** The findings, one for each kind and subject, in bounded memory. */
export interface FindingBook {
  /** @returns the finding, if it should be announced, else null */
  note(mistake: Mistake): Finding | null;
  /** The findings and `others`, the worst first, then the oldest. */
  list(others: readonly Mistake[]): Finding[];
  /** How many did not fit. */
  readonly leftOut: number;
  clear(): void;
}

export function createFindingBook(): FindingBook {
  const kept = new Map<string, Kept>();
  let leftOut = 0;
  const keyOf = ({ kind, subject }: Mistake) => `${kind} ${subject}`;

  return {
    note(mistake) {
      const key = keyOf(mistake);
      const known = kept.get(key);
      if (known) {
        const { request_ids, count } = known.finding;
        const room = MOST_REQUEST_IDS - request_ids.length;
        const added = room > 0 ? mistake.requestIds.filter((id) => !request_ids.includes(id)).slice(0, room) : [];
        known.finding = {
          ...known.finding,
          request_ids: added.length > 0 ? [...request_ids, ...added] : request_ids,
          count: count + 1,
        };
        // After many calls only each doubling is announced, so that a client that polls too fast does not fill the stream of
        // events.
        return added.length > 0 || Number.isInteger(Math.log2(count + 1)) ? known.finding : null;
      }
      if (kept.size >= MOST_FINDINGS) {
        leftOut += 1;
        return null;
      }
      const finding = findingOf(mistake);
      kept.set(key, { finding, atMs: mistake.atMs });
      return finding;
    },
    list(others) {
      const added = others.filter((mistake) => !kept.has(keyOf(mistake)));
      return [...kept.values(), ...added.map((mistake) => ({ finding: findingOf(mistake), atMs: mistake.atMs }))]
        .sort((a, b) => rank(a) - rank(b) || a.atMs - b.atMs)
        .map(({ finding }) => finding);
    },
    get leftOut() {
      return leftOut;
    },
    clear() {
      kept.clear();
      leftOut = 0;
    },
  };
}

const rank = ({ finding }: Kept) => SEVERITIES.indexOf(finding.severity);

function findingOf({ kind, severity, requestIds, payment, atMs, message }: Mistake): Finding {
  const facts = FINDING_KINDS[kind];
  return {
    kind,
    severity: severity ?? facts.severity,
    message: message(),
    advice: facts.advice,
    section: facts.section,
    request_ids: requestIds.slice(0, MOST_REQUEST_IDS),
    checkout_request_id: payment?.checkoutRequestId ?? null,
    reference: payment?.reference ?? null,
    first_at: formatTimestamp(atMs),
    count: 1,
  };
}
