import { requestRule, type Verdict } from "../rule.ts";
import { clean, messageOf, rightPoll } from "../words.ts";

export const wrongMethod = requestRule({
  kind: "wrong_method",
  severity: "error",
  section: "§4",
  label: "uses a wrong method",
  advice: "Send POST to /stkpush.php and /status.php, with a JSON body, and GET to /transactions.php.",
  judges: "requests",
  of: ["method"],
  judge: ({ call, below }): Verdict | null => (call.status === 405 ? { group: `${call.method} ${below}` } : null),
  explain({ call, base, below, route, mention }) {
    const isPoll = route?.operation === "status";
    const what = isPoll ? "The status was asked for" : `${below} was called`;
    const body = route?.method === "POST" ? ", body" : "";
    const right = isPoll
      ? rightPoll(base)
      : `await fetch(origin + "${base}${below}", { method: "${route?.method}", headers${body} })`;
    return {
      message: `${what} with ${clean(call.method)}: “${messageOf(call)}”.`,
      advice: `Right: ${right}`,
      requestIds: [call.id],
      payment: mention?.payment ?? null,
      atMs: call.atMs,
    };
  },
});
