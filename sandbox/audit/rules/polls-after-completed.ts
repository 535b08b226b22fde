import { requestRule } from "../rule.ts";
import { STOP_AT_FINAL } from "../words.ts";
import { looksAfterEnd, pollsOn } from "./ignores-final.ts";

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
    return poller !== null && pollsOn(poller) && poller.finalStatus === "completed" ? AFTER_COMPLETED : null;
  },
  explain: ({ call, payment, poller }) => ({
    message: `Asked ${poller && looksAfterEnd(poller)} times more after the answer was “completed”: a client that credits when it reads “completed” credits again.`,
    requestIds: [call.id],
    payment,
    atMs: call.atMs,
  }),
});
