import type { LoggedRequest } from "../request-log.ts";
import { requestView } from "./request-view.ts";

/**
 * The calls that concern one payment: the one that started it and those that asked about it, each with the time since the one
 * before.
 * @param log oldest first
 */
export function callsAbout(checkoutRequestId: string, log: readonly LoggedRequest[]) {
  const calls = log.filter((call) => concerns(call, checkoutRequestId));
  return calls.map((call, index) => {
    const before = calls[index - 1];
    return { ...requestView(call), interval_ms: before ? call.atMs - before.atMs : null };
  });
}

function concerns({ target, body, answer }: LoggedRequest, checkoutRequestId: string): boolean {
  const [path = ""] = target.split("?", 1);
  // The start is known by its answer, even where that was lost on the way; a poll by what it asks.
  if (path.endsWith("/stkpush.php")) return answer?.includes(`"${checkoutRequestId}"`) ?? false;
  return path.endsWith("/status.php") && body !== null && Buffer.from(body).includes(`"${checkoutRequestId}"`);
}
