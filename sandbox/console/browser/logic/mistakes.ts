import type { LoggedRequest, Status } from "../wire.ts";
import { formatInterval } from "./format.ts";

/** What a client does wrong, found in what it asked. */
export type MistakeKind = "polls_too_fast" | "polls_after_final" | "never_polls" | "charged_twice" | "failure_misread";

/** Each in so few words that it fits beside the call. */
export const MISTAKE_LABELS: Readonly<Record<MistakeKind, string>> = {
  polls_too_fast: "polls too fast",
  polls_after_final: "polls after the end",
  never_polls: "never polls",
  charged_twice: "charges twice",
  failure_misread: "misreads a failure",
};

export interface Mistake {
  readonly kind: MistakeKind;
  /** In plain words: what happened, and what would be right. */
  readonly words: string;
}

/** What the page knows of a payment without having asked for it. */
export interface KnownEnd {
  readonly status: Status;
  /** Null where it ended, but nobody knows when. */
  readonly endedAtMs: number | null;
  /** The last call that was answered before the page saw it end; null where the page did not see it. */
  readonly afterRequestId: number | null;
}

/** The shortest recommended interval (§4.4). */
const SHORTEST_POLL_MS = 3000;

/** A client that has not asked by then will not. */
const NEVER_POLLED_MS = 30_000;

interface Start {
  readonly request: LoggedRequest;
  readonly reference: string | null;
  /** Null where the answer was lost on its way. */
  readonly checkoutRequestId: string | null;
}

/** What the polls of one payment have shown so far. */
interface Polling {
  lastAtMs: number;
  finalStatus: string | null;
}

/**
 * Reads a log as somebody would who knows what goes wrong in the field.
 * @param requests oldest first
 * @param endOf what is known of a payment; undefined: nothing, so it may be pending
 * @param nowMs by the sandbox's clock, as are the times of the log
 * @returns by the id of the request in which each mistake shows
 */
export function findMistakes(
  requests: readonly LoggedRequest[],
  endOf: (checkoutRequestId: string) => KnownEnd | undefined,
  nowMs: number,
  promptLifetimeMs: number,
): Map<number, readonly Mistake[]> {
  const found = new Map<number, Mistake[]>();
  const pollings = new Map<string, Polling>();
  const starts: Start[] = [];
  const startOfReference = new Map<string, Start>();
  let lastRefusal: LoggedRequest | null = null;

  function note(request: LoggedRequest, kind: MistakeKind, words: string): void {
    found.set(request.id, [...(found.get(request.id) ?? []), { kind, words }]);
  }

  function isPending(start: Start, request: LoggedRequest): boolean {
    if (request.at_ms - start.request.at_ms >= promptLifetimeMs) return false;
    const id = start.checkoutRequestId;
    if (id === null) return true;
    if (pollings.get(id)?.finalStatus) return false;
    const end = endOf(id);
    if (end === undefined || end.status === "pending") return true;
    if (end.afterRequestId !== null) return request.id <= end.afterRequestId;
    return end.endedAtMs !== null && request.at_ms < end.endedAtMs;
  }

  for (const request of requests) {
    const operation = /\/(stkpush|status)\.php(?:\?|$)/.exec(request.target)?.[1];
    if (request.method !== "POST" || operation === undefined) continue;
    if (operation === "stkpush") readStart(request);
    else readPoll(request);
  }
  for (const start of starts) {
    const id = start.checkoutRequestId;
    if (id === null || pollings.has(id) || nowMs - start.request.at_ms < NEVER_POLLED_MS) continue;
    note(
      start.request,
      "never_polls",
      "Nobody has asked what became of this payment. The status is the only way to learn it: ask every 3 to 5 s until it is final.",
    );
  }
  return found;

  function readStart(request: LoggedRequest): void {
    const reference = textMember(request.body, "reference");
    const earlier = reference === null ? undefined : startOfReference.get(reference);
    const isAccepted = request.status === 200;
    const isLost = request.fault === "disconnect";
    lastRefusal = isAccepted || isLost ? null : request;
    if (!isAccepted && !isLost) return;
    if (earlier && isPending(earlier, request)) {
      note(
        request,
        "charged_twice",
        earlier.checkoutRequestId === null
          ? `${reference} is charged again. The answer to the first charge was lost, the charge was not: look for it with the list's search before charging again.`
          : `${reference} is charged a second time while the first payment is still pending: the customer may pay both. Pending is not a failure; wait until it is final.`,
      );
    }
    const start = { request, reference, checkoutRequestId: textMember(request.answer, "checkout_request_id") };
    starts.push(start);
    if (reference !== null) startOfReference.set(reference, start);
  }

  function readPoll(request: LoggedRequest): void {
    const id = textMember(request.body, "checkout_request_id");
    if (request.status !== 200 && request.fault === null && lastRefusal !== null) {
      note(
        request,
        "failure_misread",
        `The payment before this was refused (HTTP ${lastRefusal.status}), so there is nothing to ask about. Check the HTTP status and “success” before going on.`,
      );
      lastRefusal = null;
    }
    if (id === null) return;
    const polling = pollings.get(id);
    if (polling) {
      const intervalMs = request.at_ms - polling.lastAtMs;
      // While the sandbox's clock stands still, intervals say nothing.
      if (intervalMs > 0 && intervalMs < SHORTEST_POLL_MS) {
        note(
          request,
          "polls_too_fast",
          `Asked again after ${formatInterval(intervalMs)}. The service recommends 3 to 5 s between two polls.`,
        );
      }
      if (polling.finalStatus !== null) {
        note(request, "polls_after_final", afterFinal(polling.finalStatus));
      }
    }
    const status = request.status === 200 ? textMember(request.answer, "status") : null;
    pollings.set(id, {
      lastAtMs: request.at_ms,
      finalStatus: polling?.finalStatus ?? (status === null || status === "pending" ? null : status),
    });
  }
}

function afterFinal(status: string): string {
  return status === "completed"
    ? "The status was “completed” already, and a final status never changes: stop asking."
    : `The status was “${status}” already, and that is final. Asking on reads a failure as “pending”: tell the customer, and start a new payment if they want to try again.`;
}

/** A member of a JSON object that is a text which says something. */
function textMember(json: unknown, name: string): string | null {
  let value: unknown = json;
  if (typeof json === "string") {
    try {
      value = JSON.parse(json);
    } catch {
      return null;
    }
  }
  if (typeof value !== "object" || value === null) return null;
  const member = (value as Record<string, unknown>)[name];
  return typeof member === "string" && member !== "" ? member : null;
}
