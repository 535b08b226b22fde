import { requestRule } from "../rule.ts";
import { STOP_AT_FINAL } from "../words.ts";

/** A look more, a second tab and a look because of a webhook are no polling. */
export const MOST_LOOKS_AFTER_END = 2;

export const ignoresFinal = requestRule({
  kind: "ignores_final",
  severity: "error",
  section: "§3",
  label: "polls after the end",
  advice: `${STOP_AT_FINAL} Tell the customer, and start a new payment if they want to try again.`,
  judges: "requests",
  of: ["status"],
  judge({ poller }) {
    if (poller === null || poller.pollsAfterEnd <= MOST_LOOKS_AFTER_END || poller.finalStatus === "completed")
      return null;
    return { group: String(poller.finalStatus) };
  },
  explain: ({ call, payment, poller }) => ({
    message: `Asked ${poller?.pollsAfterEnd} times more after the answer was “${poller?.finalStatus}”. This status is final, but the client treats it like “pending”.`,
    requestIds: [call.id],
    payment,
    atMs: call.atMs,
  }),
});
