import { pushRule, type Verdict } from "../rule.ts";
import { HOW_TO_LOOK, WHO_REPEATS } from "../words.ts";
import { chargesTwice } from "./charges-twice.ts";
import { chargedAgain, type Pair, pairsOf, partsOf, whatWasKnown, whyAgain } from "./second-charge.ts";

const ADVICE =
  "This time the customer cannot pay twice, by luck. A time-out, a lost connection and a status of 500 and above say nothing about the payment: ask until it is final. At your deadline the outcome is unknown; a person or a later run decides.";

/** A client that still finds nothing after this time may take it that no payment was stored. The client to copy looks for ten minutes. */
const LONG_MS = 9 * 60_000;

const hasLookedLong = ({ first, second: { lastList } }: Pair): boolean =>
  lastList !== null && lastList.refusal === null && lastList.atMs - first.atMs >= LONG_MS;

interface Blindly extends Verdict {
  readonly pair: Pair;
}

export const repeatsBlindly = pushRule({
  kind: "repeats_blindly",
  severity: "warning",
  section: "§4.1",
  label: "repeats blindly",
  advice: `${ADVICE} ${HOW_TO_LOOK}`,
  judges: "pushes",
  judge(push): Blindly | null {
    if (chargesTwice.judge(push)) return null;
    for (const pair of pairsOf(push)) {
      const isLucky = pair.firstIs === "unpaid" || (pair.firstIs === "not stored" && !hasLookedLong(pair));
      if (isLucky && pair.likeness === "same order")
        return { group: `${pair.firstIs} ${whatWasKnown(pair.first, pair.second)}`, pair };
    }
    return null;
  },
  explain(_push, { pair: { first, second, firstIs } }) {
    const ended = first.payment?.isUnpaid
      ? `the first payment is ${first.payment.end?.status}`
      : `the second payment is ${second.payment?.end?.status}`;
    const luck = firstIs === "unpaid" ? ended : "the first request stored no payment";
    return {
      message: `${chargedAgain(first, second)} ${whyAgain(first, second)}. This time ${luck}.`,
      ...(!first.isDelivered && { advice: `${ADVICE} ${WHO_REPEATS} ${HOW_TO_LOOK}` }),
      ...partsOf(first, second),
    };
  },
});
