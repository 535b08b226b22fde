import { parametersIn } from "../../../src/domain/parameters.ts";
import { meantBy } from "../facts/lists.ts";
import { namesOne } from "../facts/mentions.ts";
import type { ClientRequest } from "../facts/request.ts";
import { paymentRule, requestRule } from "../rule.ts";
import { clean, HOW_TO_LOOK } from "../words.ts";
import { endNotLearned } from "./end-not-learned.ts";

/** A client that asks so soon after a search takes what it has found. */
const AT_ONCE_MS = 1000;

/** How long the polling pattern of §4.4 lasts: who asks later has not followed the row. */
const PATTERN_MS = 120_000;

export const takesWrongRow = requestRule({
  kind: "takes_wrong_row",
  severity: "error",
  section: "§4.3",
  label: "takes the wrong row",
  advice: `Ask POST /status.php with the checkout_request_id. The list ignores a parameter that it does not know, so its first row is another payment. ${HOW_TO_LOOK}`,
  judges: "requests",
  of: ["status", "list"],
  judge(request) {
    if (request.operation === "list") {
      const name = nameOfOne(request);
      return name === null ? null : { group: clean(name) };
    }
    return request.sighting?.ignored === null && isFollowed(request) ? FOLLOWED : null;
  },
  explain(request) {
    const { call, payment, sighting } = request;
    const name = request.operation === "list" ? nameOfOne(request) : null;
    const search = sighting?.list.search ?? null;
    const found = search === null ? "listed all payments" : `searched for “${clean(search)}”`;
    return {
      message:
        name === null
          ? `The client ${found}, and took a payment ${rowOf(payment?.reference ?? null)}.`
          : `The client asked for the list with “${clean(name)}”, as if this parameter selected one payment. It does not exist: the first row is the newest payment of all.`,
      requestIds: sighting ? [sighting.list.requestId, call.id] : [call.id],
      payment,
      atMs: call.atMs,
    };
  },
});

const FOLLOWED = { group: " followed" };

/** Whether a poll follows a row that its client can know only from a list for another payment. */
export function isFollowed({ sighting, payment, isFirstPoll, atMs, arrivedRealMs }: ClientRequest): boolean {
  if (sighting === null || payment === null) return false;
  const { list, isFirstRow } = sighting;
  const sinceMs = Math.max(atMs - list.atMs, arrivedRealMs - list.realMs);
  if (sinceMs > PATTERN_MS) return false;
  // A client may follow a payment that it has pushed. But if it first asks right after the search, it took what that has found.
  const isTaken =
    (list.search !== null || sighting.ignored !== null) && isFirstRow && isFirstPoll && sinceMs < AT_ONCE_MS;
  const isItsOwn = payment.push?.isDelivered === true && (payment.learned === null || payment.learned >= list.arrived);
  return isTaken || !isItsOwn;
}

/** A parameter that does not exist, and would select one payment. */
export function nameOfOne({ query, inputs, call }: ClientRequest): string | null {
  if (call.status !== 200 || query === "") return null;
  const names = [...parametersIn(query).keys()];
  if (names.includes("search") || names.includes("id")) return null;
  return names.find((name) => inputs?.includes(name) === false && namesOne(name) && meantBy(name) === null) ?? null;
}

/** The last search for a payment showed another one above it, and nobody has asked for this one since: the client took that row. */
export const takesRowAbove = paymentRule({
  kind: takesWrongRow.kind,
  severity: takesWrongRow.severity,
  section: takesWrongRow.section,
  label: takesWrongRow.label,
  advice: takesWrongRow.advice,
  judges: "payments",
  judge: (payment, occasion) => (payment.rowAbove && endNotLearned.judge(payment, occasion) ? ABOVE : null),
  explain: ({ rowAbove, reference, end, push, lastLookId, lastLookMs, checkoutRequestId }) => ({
    message: `The client searched for “${clean(String(reference))}”, and took a payment ${rowOf(rowAbove?.reference ?? null)}. Its own payment was below, and nobody has asked for it since; it is ${end?.status ?? "pending"} now.`,
    requestIds: [push?.requestId ?? 0, lastLookId],
    payment: { checkoutRequestId, reference },
    atMs: lastLookMs,
  }),
});

const ABOVE = { group: " above" };

const rowOf = (reference: string | null): string =>
  reference ? `of another reference, “${clean(reference)}”` : "without a reference";
