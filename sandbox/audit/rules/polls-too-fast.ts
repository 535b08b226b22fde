import { requestRule } from "../rule.ts";
import { inSeconds } from "../words.ts";

/** The 3 s of §4.4, less the delays of a busy machine. */
const FASTEST_POLL_MS = 2500;

const TOO_FAST = { group: "" };

const isFast = (intervalMs: number): boolean => intervalMs > 0 && intervalMs < FASTEST_POLL_MS;

export const pollsTooFast = requestRule({
  kind: "polls_too_fast",
  severity: "warning",
  section: "§4.4",
  label: "polls too fast",
  advice:
    "Wait 3 to 5 s between two polls of a payment. If several pages ask about the same payment, let your server ask once for all of them.",
  judges: "requests",
  of: ["status"],
  // One poll soon after another is a page in a second tab, a reload or a cron. Two in a row are a rhythm.
  judge: ({ poller }) =>
    poller !== null && isFast(poller.intervalMs) && isFast(poller.lastIntervalMs) ? TOO_FAST : null,
  explain: ({ call, payment, poller }) => ({
    message: `Asked again after ${inSeconds(poller?.lastIntervalMs ?? 0)} and after ${inSeconds(poller?.intervalMs ?? 0)}; the service recommends 3 to 5 s between two polls.`,
    requestIds: [call.id],
    payment,
    atMs: call.atMs,
  }),
});
