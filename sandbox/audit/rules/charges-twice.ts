import type { Push } from "../facts/payment.ts";
import { pushRule, type Verdict } from "../rule.ts";
import { HOW_TO_LOOK, WHO_REPEATS } from "../words.ts";
import { chargedAgain, type Pair, pairsOf, partsOf, whatWasKnown, whyAgain } from "./second-charge.ts";

const ADVICE =
  "Ask until the first payment is final before you charge again: an answer that did not come may still take effect. At your deadline the outcome is unknown; a person or a later run decides. Disable the button, and make the reference before the first try.";

interface Twice extends Verdict {
  readonly pair: Pair;
}

export const chargesTwice = pushRule({
  kind: "charges_twice",
  severity: "error",
  section: "§4.1",
  label: "charges twice",
  advice: `${ADVICE} ${HOW_TO_LOOK}`,
  judges: "pushes",
  judge(push): Twice | null {
    let worst: Pair | null = null;
    for (const pair of pairsOf(push)) {
      if (pair.firstIs !== "open" && pair.firstIs !== "paid and learned") continue;
      if (worst === null || (isError(pair) && !isError(worst))) worst = pair;
    }
    return worst && verdictOf(worst);
  },
  explain(_push, { pair: { first, second, firstIs, likeness } }) {
    const isSure = likeness === "same order";
    const why =
      firstIs === "open"
        ? `${whyAgain(first, second)}: ${payable(first, second)}.`
        : "The client had learned that the first payment is completed: an order that is paid is charged again.";
    const isOver = isPaid(first) && isPaid(second);
    const withdrawn = isOver ? "" : " This is withdrawn if one of them ends unpaid.";
    const doubt = isSure ? "" : ` If both are for one order, the customer can pay it twice.${withdrawn}`;
    return {
      message: `${chargedAgain(first, second)} ${why}${doubt}`,
      ...(!first.isDelivered && { advice: `${ADVICE} ${WHO_REPEATS} ${HOW_TO_LOOK}` }),
      ...partsOf(first, second),
    };
  },
});

const isError = ({ firstIs, likeness }: Pair): boolean => firstIs === "open" && likeness === "same order";

const verdictOf = (pair: Pair): Twice => ({
  severity: isError(pair) ? "error" : "warning",
  group: `${pair.firstIs} ${pair.likeness} ${whatWasKnown(pair.first, pair.second)}`,
  pair,
});

const isPaid = ({ payment }: Push): boolean => payment?.end?.status === "completed";

function payable(first: Push, second: Push): string {
  const paid = [first, second].filter(isPaid).length;
  return (
    ["the customer can pay both", "one is paid, and the customer can still pay the other", "both are paid"][paid] ?? ""
  );
}
