import { clean, messageOf, type Reading } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { FINDING_KINDS, type FindingKind, LENIENT_ADVICE } from "./kinds.ts";

const NUMBERS = ["payment_account_id", "amount"];

/** How many unknown names of one body are reported. */
const MOST_UNKNOWN = 20;

/** Members that have no effect, and values that only a lenient service accepts. */
export function auditInput(reading: Reading): Mistake[] {
  const { call, operation, inputs } = reading;
  const isTaken = (name: string) => inputs === undefined || inputs.includes(name);
  const members = call.method === "POST" ? Object.keys(call.members ?? {}) : [];
  const unknown = members.filter((name) => !isTaken(name)).slice(0, MOST_UNKNOWN);
  const texts = numbersAsText(reading);
  // The strict mode refuses a number as text. The lenient mode lists each one that it accepted.
  const isJudged = (member: string) => call.status === 400 || call.leniencies.some((one) => one.member === member);
  const mistake = (kind: FindingKind, member: string, message: string): Mistake => ({
    kind,
    subject: `${operation} ${clean(member)}`,
    message,
    ...(call.isTakenLeniently && kind === "number_as_text" && { advice: FINDING_KINDS[kind].advice + LENIENT_ADVICE }),
  });
  return [
    ...unknown.map((name) => mistake("unknown_member", name, `${operation} has no member “${clean(name)}”.`)),
    ...texts.filter(isJudged).map((member) => {
      const sent = clean(JSON.stringify(call.members?.[member]));
      return mistake("number_as_text", member, `${member} must be a number, but was sent as text: ${sent}.`);
    }),
    ...call.leniencies
      .filter(({ member }) => !texts.includes(member))
      .map(({ member, came }) => {
        const message = `${member} has a form that only the lenient mode accepts: ${clean(came)}.`;
        return mistake("lenient_input", member, message);
      }),
  ];
}

const numbersAsText = ({ call: { members } }: Reading): string[] =>
  NUMBERS.filter((member) => {
    const value = members?.[member];
    return typeof value === "string" && /^\s*[0-9]+(?:\.[0-9]+)?\s*$/.test(value);
  });

/** Whether numbers as text are all that is wrong with a request that was refused. */
export function isRefusedForText(reading: Reading): boolean {
  const message = messageOf(reading.call);
  const isNamed = (member: string) => message.startsWith(`${member} `) || message.includes(`; ${member} `);
  const texts = numbersAsText(reading);
  return texts.some(isNamed) && !reading.inputs?.some((member) => !texts.includes(member) && isNamed(member));
}
