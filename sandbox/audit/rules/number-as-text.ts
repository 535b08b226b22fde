import type { ClientRequest } from "../facts/request.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { clean, LENIENT_ADVICE } from "../words.ts";

export const AS_NUMBER =
  "Convert it before you send it: Number(text) in JavaScript, int(text) or float(text) in Python, (float) $text in PHP.";

interface AsText extends Verdict {
  readonly member: string;
}

export const numberAsText = requestRule({
  kind: "number_as_text",
  severity: "warning",
  section: "§4.1",
  label: "sends a number as text",
  advice: AS_NUMBER,
  judges: "requests",
  of: ["push"],
  judge(request): readonly AsText[] | null {
    const { status, leniencies } = request.call;
    if (status !== 400) return null;
    // One that the lenient mode took is `lenient_input`.
    const isRefused = (member: string) => leniencies.every((one) => one.member !== member);
    return numbersAsText(request)
      .filter(isRefused)
      .map((member) => ({ group: member, member }));
  },
  explain: ({ call }, { member }) => ({
    message: `${member} must be a number, but was sent as text: ${clean(JSON.stringify(call.members?.[member]))}.`,
    ...(call.isTakenLeniently && { advice: AS_NUMBER + LENIENT_ADVICE }),
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
