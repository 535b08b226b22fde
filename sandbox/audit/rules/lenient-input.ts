import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";
import { numbersAsText } from "./number-as-text.ts";

interface Taken extends Verdict {
  readonly member: string;
  readonly came: string;
}

export const lenientInput = requestRule({
  kind: "lenient_input",
  severity: "warning",
  section: "§4",
  label: "needs the lenient mode",
  advice: "Send it as the specification says. Only the lenient mode accepts this; another service may refuse it.",
  judges: "requests",
  of: ["push", "status", "list"],
  judge(request): readonly Taken[] | null {
    const { leniencies } = request.call;
    if (leniencies.length === 0) return null;
    const texts = numbersAsText(request);
    return leniencies
      .filter(({ member }) => !texts.includes(member))
      .map(({ member, came }) => ({ group: `${request.below} ${clean(member)}`, member, came }));
  },
  explain: ({ call }, { member, came }) => ({
    message: `${member} has a form that only the lenient mode accepts: ${clean(came)}.`,
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
  }),
});
