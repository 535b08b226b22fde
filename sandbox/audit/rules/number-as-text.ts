import type { ClientRequest } from "../facts/request.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { clean, LENIENT_ADVICE } from "../words.ts";

const ADVICE =
  "Convert it before you send it: Number(text) in JavaScript, int(text) or float(text) in Python, (float) $text in PHP.";

interface AsText extends Verdict {
  readonly member: string;
}

export const numberAsText = requestRule({
  kind: "number_as_text",
  severity: "warning",
  section: "§4.1",
  label: "sends a number as text",
  advice: ADVICE,
  judges: "requests",
  of: ["push"],
  judge(request): readonly AsText[] | null {
    const texts = numbersAsText(request);
    // The strict mode refuses a number as text. The lenient mode lists each one that it accepted.
    const isJudged = (member: string) =>
      request.call.status === 400 || request.call.leniencies.some((one) => one.member === member);
    return texts.length === 0 ? null : texts.filter(isJudged).map((member) => ({ group: member, member }));
  },
  explain: ({ call }, { member }) => ({
    message: `${member} must be a number, but was sent as text: ${clean(JSON.stringify(call.members?.[member]))}.`,
    ...(call.isTakenLeniently && { advice: ADVICE + LENIENT_ADVICE }),
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
  }),
});

const NUMBERS = ["payment_account_id", "amount"];
const NONE: readonly string[] = [];

/** The members of a push that must be numbers, and are text. */
export function numbersAsText({ call: { members } }: ClientRequest): readonly string[] {
  if (typeof members?.amount !== "string" && typeof members?.payment_account_id !== "string") return NONE;
  return NUMBERS.filter(
    (member) => /^\s*[0-9]+(?:\.[0-9]+)?\s*$/.test(String(members[member])) && typeof members[member] === "string",
  );
}
