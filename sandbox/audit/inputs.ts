import { clean, messageOf, type Reading } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { FINDING_KINDS, LENIENT_ADVICE } from "./kinds.ts";

const NUMBERS = ["payment_account_id", "amount"];

/** How many unknown names of one body are reported. */
const MOST_UNKNOWN = 20;

/** Members that have no effect, and values that only a lenient service accepts. */
export function auditInput(reading: Reading): Mistake[] {
  const { call, operation, inputs } = reading;
  const mistakes: Mistake[] = [];
  if (inputs && call.method === "POST") {
    for (const name in call.members) {
      if (inputs.includes(name)) continue;
      if (mistakes.length >= MOST_UNKNOWN) break;
      mistakes.push(inputMistake(reading, "unknown_member", name, `${operation} has no member “${clean(name)}”.`));
    }
  }
  // The strict mode refuses a number as text. The lenient mode lists each one that it accepted.
  if (call.status !== 400 && call.leniencies.length === 0) return mistakes;
  const texts = numbersAsText(reading);
  for (const member of texts) {
    if (call.status !== 400 && !call.leniencies.some((leniency) => leniency.member === member)) continue;
    const words = `${member} must be a number, but was sent as text: ${clean(JSON.stringify(call.members?.[member]))}.`;
    mistakes.push(inputMistake(reading, "number_as_text", member, words));
  }
  for (const { member, came: value } of call.leniencies) {
    if (texts.includes(member)) continue;
    const words = `${member} has a form that only the lenient mode accepts: ${clean(value)}.`;
    mistakes.push(inputMistake(reading, "lenient_input", member, words));
  }
  return mistakes;
}

const numbersAsText = ({ call: { members } }: Reading): string[] =>
  NUMBERS.filter((member) => isNumberAsText(members?.[member]));

const isNumberAsText = (value: unknown): boolean =>
  typeof value === "string" && /^\s*[0-9]+(?:\.[0-9]+)?\s*$/.test(value);

/** Whether numbers as text are all that is wrong with a request that was refused. */
export function isRefusedForText(reading: Reading): boolean {
  const message = messageOf(reading.call);
  const isNamed = (member: string) => message.startsWith(`${member} `) || message.includes(`; ${member} `);
  const texts = numbersAsText(reading);
  return texts.some(isNamed) && !reading.inputs?.some((member) => !texts.includes(member) && isNamed(member));
}

function inputMistake(
  { call, operation }: Reading,
  kind: "unknown_member" | "number_as_text" | "lenient_input",
  member: string,
  message: string,
): Mistake {
  return {
    kind,
    subject: `${operation} ${clean(member)}`,
    message,
    ...(call.isTakenLeniently && kind === "number_as_text" && { advice: FINDING_KINDS[kind].advice + LENIENT_ADVICE }),
  };
}
