import { clean, messageOf } from "./call.ts";
import { FINDING_KINDS, LENIENT_ADVICE } from "./kinds.ts";
import type { AuditState, Reading } from "./rules.ts";

const NUMBERS = ["payment_account_id", "amount"];

/** How many unknown names of one body are reported. */
const MOST_UNKNOWN = 20;

/**
 * Finds members that have no effect, and values that only a lenient service accepts.
 * @returns whether numbers as text are all that is wrong with a request that was refused
 */
export function auditInput(state: AuditState, operation: string, reading: Reading): boolean {
  const { call } = reading;
  const members = call.members ?? {};
  const known = state.inputs().get(operation);
  if (known && call.method === "POST") {
    let unknown = 0;
    for (const name in members) {
      if (known.includes(name)) continue;
      unknown += 1;
      if (unknown > MOST_UNKNOWN) break;
      addInput(state, reading, "unknown_member", operation, name, `${operation} has no member “${clean(name)}”.`);
    }
  }
  if (call.status !== 400 && call.leniencies.length === 0) return false;
  // The strict mode refuses a number as text. The lenient mode lists each one that it accepted.
  const texts = NUMBERS.filter((member) => isNumberAsText(members[member]));
  for (const member of texts) {
    if (call.status !== 400 && !call.leniencies.some((leniency) => leniency.member === member)) continue;
    const words = `${member} must be a number, but was sent as text: ${clean(JSON.stringify(members[member]))}.`;
    addInput(state, reading, "number_as_text", operation, member, words);
  }
  for (const { member, came } of call.leniencies) {
    if (texts.includes(member)) continue;
    const words = `${member} has a form that only the lenient mode accepts: ${clean(came)}.`;
    addInput(state, reading, "lenient_input", operation, member, words);
  }
  const message = messageOf(call);
  const isNamed = (member: string) => message.startsWith(`${member} `) || message.includes(`; ${member} `);
  return texts.some(isNamed) && !known?.some((member) => !texts.includes(member) && isNamed(member));
}

const isNumberAsText = (value: unknown): boolean =>
  typeof value === "string" && /^\s*[0-9]+(?:\.[0-9]+)?\s*$/.test(value);

function addInput(
  state: AuditState,
  { call }: Reading,
  kind: "unknown_member" | "number_as_text" | "lenient_input",
  operation: string,
  member: string,
  message: string,
): void {
  state.add({
    kind,
    subject: `${operation} ${clean(member)}`,
    requestIds: [call.id],
    atMs: call.atMs,
    message,
    ...(call.isTakenLeniently && kind === "number_as_text" && { advice: FINDING_KINDS[kind].advice + LENIENT_ADVICE }),
  });
}
