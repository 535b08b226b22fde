import { redact } from "../../src/domain/redact.ts";
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

/** A finding, which each repetition of its mistake replaces: one that was announced stays as it was. */
interface Kept {
  finding: Finding;
  readonly atMs: number;
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
      const all = new Map([...kept].map(([key, one]) => [key, { ...one }]));
      for (const mistake of others) addTo(all, mistake);
      return [...all.values()].sort((a, b) => rank(a) - rank(b) || a.atMs - b.atMs).map(({ finding }) => finding);
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
  if (same) return repeat(same, mistake.requestIds.at(-1)) ? same.finding : null;
  const finding = findingOf(mistake);
  kept.set(key, { finding, atMs: mistake.atMs });
  return finding;
}

/**
 * Counts the mistake.
 * @returns whether to announce it: after many requests only at each doubling, so that a client that polls too fast does not flood
 * the events
 */
function repeat(kept: Kept, requestId: number | undefined): boolean {
  const { request_ids: ids, count: before } = kept.finding;
  const count = before + 1;
  const isNew = requestId !== undefined && ids.length < MOST_REQUEST_IDS && !ids.includes(requestId);
  kept.finding = { ...kept.finding, request_ids: isNew ? inOrder([...ids, requestId]) : ids, count };
  return isNew || (count & (count - 1)) === 0;
}

/** In the order of the log: a slow push stands after the one that repeats it. */
const inOrder = (requestIds: readonly number[]) => requestIds.toSorted((one, other) => one - other);

/** A run without an accepted request comes first, because it explains the rest. */
const rank = ({ finding: { kind, severity } }: Kept) =>
  kind === "nothing_accepted" ? -1 : SEVERITIES.indexOf(severity);

function findingOf({ kind, severity, requestIds, payment, atMs, message, advice }: DatedMistake): Finding {
  const facts = FINDING_KINDS[kind];
  return {
    kind,
    severity: severity ?? facts.severity,
    message,
    advice: advice ?? facts.advice,
    section: facts.section,
    request_ids: inOrder(requestIds),
    checkout_request_id: payment?.checkoutRequestId ?? null,
    reference: (payment?.reference && redact(payment.reference)) ?? null,
    first_at: formatTimestamp(atMs),
    count: 1,
  };
}
