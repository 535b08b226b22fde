import { type AnsweredRequest, membersOf } from "../../sandbox/request-log.ts";

/** A request that was accepted, as the log and the audit get it. */
export function answeredRequest(changes: Partial<AnsweredRequest>): AnsweredRequest {
  const { body = null, answer = null, status = 200 } = changes;
  return {
    id: 1,
    atMs: 0,
    durationMs: 0,
    method: "POST",
    target: "/v2/stkpush.php",
    headers: new Headers(),
    body,
    members: membersOf(body),
    status,
    answer,
    said: membersOf(answer) ?? {},
    hidden: null,
    checkoutRequestId: null,
    fault: null,
    isInjected: false,
    leniencies: [],
    isTakenLeniently: false,
    isDelivered: status !== null,
    isAdmitted: true,
    arrived: 1,
    refusal: null,
    ...changes,
  };
}
