import type { Poller } from "../facts/payment.ts";
import { requestRule } from "../rule.ts";
import { STOP_AT_FINAL } from "../words.ts";

/** A look more, a second tab and a look because of a webhook are no polling. */
const MOST_POLLS_AFTER_END = 2;
/** So many tabs look once more at about the same time. */
const MOST_FAST_LOOKS_AFTER_END = 9;

export const pollsOn = ({ pollsAfterEnd, fastLooksAfterEnd }: Poller): boolean =>
  pollsAfterEnd > MOST_POLLS_AFTER_END || fastLooksAfterEnd > MOST_FAST_LOOKS_AFTER_END;

export const looksAfterEnd = ({ pollsAfterEnd, fastLooksAfterEnd }: Poller): number =>
  pollsAfterEnd + fastLooksAfterEnd;

export const ignoresFinal = requestRule({
  kind: "ignores_final",
  severity: "error",
  section: "§3",
  label: "polls after the end",
  advice: `${STOP_AT_FINAL} Tell the customer, and start a new payment if they want to try again.`,
  judges: "requests",
  of: ["status"],
  judge({ poller }) {
    if (poller === null || !pollsOn(poller) || poller.finalStatus === "completed") return null;
    return { group: String(poller.finalStatus) };
  },
  explain: ({ call, payment, poller }) => ({
    message: `Asked ${poller && looksAfterEnd(poller)} times more after the answer was “${poller?.finalStatus}”. This status is final, but the client treats it like “pending”.`,
    requestIds: [call.id],
    payment,
    atMs: call.atMs,
  }),
});
