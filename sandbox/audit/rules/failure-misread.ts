import { shown } from "../../../src/domain/error.ts";
import type { Facts } from "../facts/facts.ts";
import type { ClientRequest } from "../facts/request.ts";
import { requestRule } from "../rule.ts";

/** What programs send when they have no id. */
const NOTHING = new Set(["", "undefined", "null", "none", "nil", "nan", "false", "0", "[object object]"]);

const isNothing = ({ sentId }: ClientRequest): boolean => NOTHING.has(sentId.trim().toLowerCase());

export const failureMisread = requestRule({
  kind: "failure_misread",
  severity: "error",
  section: "§7",
  label: "misreads a failure",
  advice: "Check the HTTP status and “success” before you go on. A refused payment has no checkout_request_id.",
  judges: "requests",
  of: ["status"],
  judge(request, facts) {
    if (!isMisread(request, facts)) return null;
    return isNothing(request) ? WITHOUT_ID : WITH_ANOTHER;
  },
  explain({ call }, _verdict, { refusedPush }) {
    const id = call.members?.checkout_request_id;
    const asked = id === undefined ? "without a checkout_request_id" : `with the checkout_request_id ${shown(id)}`;
    const status = refusedPush?.status == null ? "no answer" : `HTTP ${refusedPush.status}`;
    return {
      message: refusedPush
        ? `The payment was refused (${status}), but then the client asked for a status ${asked}, as if there were a payment.`
        : `The client asked for a status ${asked}: it did not check the answer that should contain the id.`,
      requestIds: refusedPush ? [refusedPush.requestId, call.id] : [call.id],
      payment: null,
      atMs: call.atMs,
    };
  },
});

const WITHOUT_ID = { group: "nothing" };
const WITH_ANOTHER = { group: "unknown" };

/** Whether a refused request for a status has no id, or one that the service did not give, after a push that was refused. */
export function isMisread(request: ClientRequest, { refusedPush }: Facts): boolean {
  const { isRefused, call, mention, sentId } = request;
  if (!isRefused || call.status === 401 || call.members === null || mention) return false;
  return isNothing(request) || (refusedPush !== null && !sentId.startsWith("ws_"));
}
