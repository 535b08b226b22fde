import { requestRule } from "../rule.ts";
import { STOP_AT_FINAL } from "../words.ts";
import { MOST_LOOKS_AFTER_END } from "./ignores-final.ts";

const AFTER_COMPLETED = { group: "" };

export const pollsAfterCompleted = requestRule({
  kind: "polls_after_completed",
  severity: "warning",
  section: "§3",
  label: "polls after completed",
  advice: `${STOP_AT_FINAL} Make sure that reading “completed” twice does not credit twice.`,
  judges: "requests",
  of: ["status"],
  judge({ poller }) {
    if (poller === null || poller.pollsAfterEnd <= MOST_LOOKS_AFTER_END || poller.finalStatus !== "completed")
      return null;
    return AFTER_COMPLETED;
  },
  explain: ({ call, payment, poller }) => ({
    message: `Asked ${poller?.pollsAfterEnd} times more after the answer was “completed”: a client that credits when it reads “completed” credits again.`,
    requestIds: [call.id],
    payment,
    atMs: call.atMs,
  }),
});
