import { requestRule, type Verdict } from "../rule.ts";
import { clean, messageOf, rightPoll } from "../words.ts";
import { isMisread } from "./failure-misread.ts";

export const unknownId = requestRule({
  kind: "unknown_id",
  severity: "warning",
  section: "§4.2",
  label: "asks for an unknown id",
  advice: "Store the checkout_request_id of the answer to the push, and send it unchanged.",
  judges: "requests",
  of: ["status"],
  judge(request, facts): Verdict | null {
    const { isRefused, call, mention, sentId } = request;
    if (!isRefused || call.members === null) return null;
    if (mention?.form) return { group: mention.form };
    if (mention || call.status !== 404 || isMisread(request, facts)) return null;
    // Its client does not know that the sandbox was reset.
    return facts.forgotten.has(sentId) ? null : NEVER_ISSUED;
  },
  explain({ call, base, mention }) {
    const sent = mention?.sent ?? String(call.members?.checkout_request_id);
    const what = mention
      ? `this is ${mention.form}, ${mention.payment.checkoutRequestId}`
      : "the sandbox has issued no such id";
    return {
      message: `The status of “${clean(sent)}” was asked for: ${what}. momo answered “${messageOf(call)}”.`,
      advice: `Send the checkout_request_id of the answer to the push, unchanged: ${rightPoll(base)}`,
      requestIds: [call.id],
      payment: mention?.payment ?? null,
      atMs: call.atMs,
    };
  },
});

const NEVER_ISSUED = { group: "" };
