import type { Clock } from "../../src/domain/clock.ts";
import type { LoggedRequest } from "../request-log.ts";
import { writeWhatFits } from "./paging.ts";
import { requestView } from "./request-view.ts";

/**
 * The calls that concern one payment: the one that started it and those that asked about it, each with the time since the one
 * before. Where they are too much for one answer, the first and the last.
 * @param log oldest first
 * @returns each as JSON, and how many are left out
 */
export async function callsAbout(checkoutRequestId: string, log: readonly LoggedRequest[], realClock: Clock) {
  const calls = log.filter((call) => concerns(call, checkoutRequestId));
  const numbered = calls.map((call, index) => ({ call, before: calls[index - 1] }));
  const [first, ...polls] = numbered;
  const [start, ...latest] = await writeWhatFits(
    first ? [first, ...polls.reverse()] : [],
    realClock,
    ({ call, before }) =>
      JSON.stringify({ ...requestView(call), interval_ms: before ? call.atMs - before.atMs : null }),
  );
  const texts = start === undefined ? [] : [start, ...latest.reverse()];
  return { texts, leftOut: calls.length - texts.length };
}

function concerns({ target, body, answer }: LoggedRequest, checkoutRequestId: string): boolean {
  const [path = ""] = target.split("?", 1);
  // The start is known by its answer, even where that was lost on the way; a poll by what it asks.
  if (path.endsWith("/stkpush.php")) return answer?.includes(`"${checkoutRequestId}"`) ?? false;
  return path.endsWith("/status.php") && (body?.includes(`"${checkoutRequestId}"`) ?? false);
}
