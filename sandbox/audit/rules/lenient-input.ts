import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";
import { AS_NUMBER, numbersAsText } from "./number-as-text.ts";

const ADVICE = "Send it as the specification says. Only the lenient mode accepts this; another service may refuse it.";

interface Taken extends Verdict {
  readonly member: string;
  readonly came: string;
}

export const lenientInput = requestRule({
  kind: "lenient_input",
  severity: "warning",
  section: "§4",
  label: "needs the lenient mode",
  advice: ADVICE,
  judges: "requests",
  of: ["push", "status", "list"],
  judge(request): readonly Taken[] | null {
    const { leniencies } = request.call;
    if (leniencies.length === 0) return null;
    return leniencies.map(({ member, came }) => ({ group: `${request.below} ${clean(member)}`, member, came }));
  },
  explain: (request, { member, came }) => ({
    message: `${member} has a form that only the lenient mode accepts: ${clean(came)}.`,
    ...(numbersAsText(request).includes(member) && { advice: `${AS_NUMBER} ${ADVICE}` }),
    requestIds: [request.call.id],
    payment: null,
    atMs: request.call.atMs,
  }),
});
