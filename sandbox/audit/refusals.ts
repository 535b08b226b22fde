import { isRefused, type Reading } from "./call.ts";
import type { DatedMistake, Mistake } from "./finding.ts";
import type { History } from "./history.ts";
import { isRefusedForText } from "./inputs.ts";
import { FINDING_KINDS, type FindingKind, LENIENT_ADVICE } from "./kinds.ts";
import { idIn } from "./polls.ts";
import { type Refusal, refusalsIn, type Tally } from "./tally.ts";

/** Findings that say what is wrong with a request that was refused. */
const EXPLAIN: ReadonlySet<FindingKind> = new Set(["unknown_path", "wrong_method", "unknown_id", "failure_misread"]);

/**
 * A refusal because of the client that no other finding explains.
 * @param others what else is wrong with the request
 */
export function refusedWithoutCause(
  { forgotten }: History,
  reading: Reading,
  { status, message }: Refusal,
  others: readonly (Mistake | null)[],
): Mistake | null {
  const { call } = reading;
  if (!isRefused(call) || others.some((other) => other && EXPLAIN.has(other.kind)) || isRefusedForText(reading))
    return null;
  // A client that still asks for a payment does not know that the sandbox was reset.
  if (status === 404 && forgotten.has(idIn(call.members ?? {}))) return null;
  return {
    kind: "refused",
    subject: `${status} ${message}`,
    message: `Refused with HTTP ${status}: “${message}”.`,
    ...(call.isTakenLeniently && { advice: FINDING_KINDS.refused.advice + LENIENT_ADVICE }),
  };
}

/**
 * No request of a whole run was accepted.
 * @param isOnRequest whether faults or the network refused all requests: a test of an outage is no mistake
 * @param hosts the hosts whose requests should have come here
 */
export function nothingAccepted(
  tally: Tally,
  isOnRequest: boolean,
  atMs: number,
  hosts: readonly string[] = [],
): DatedMistake | null {
  const { requests, accepted } = tally;
  if (accepted > 0) return null;
  const each = requests === 1 ? "The only request" : `Each of ${requests} requests`;
  const what = requests === 0 ? "No request came" : `${each} was refused: ${refusalsIn(tally)}`;
  return {
    kind: "nothing_accepted",
    subject: "",
    severity: isOnRequest ? "note" : "error",
    requestIds: [],
    payment: null,
    atMs,
    ...(requests > 0 && {
      advice: `Correct what these messages name. A run without an accepted request proves nothing.${
        tally.lenient_takes > 0 ? LENIENT_ADVICE : ""
      }`,
    }),
    message: `${what}${hosts.length > 0 ? `; nothing reached ${hosts.join(" or ")}` : ""}.`,
  };
}
