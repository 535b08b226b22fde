import { shown } from "./call.ts";
import { type AuditState, membersIn, type Reading } from "./rules.ts";

const NUMBERS = ["payment_account_id", "amount"];

/** How many unknown names of one body are reported. */
const MOST_UNKNOWN = 20;

/** All of this many pushes are checked, and later every sixteenth, because checking slows payments down. */
const LOOKED_THROUGH = 1000;

/** Finds members that do nothing, and values that only a lenient service takes. */
export function auditInput(state: AuditState, operation: string, reading: Reading): void {
  const { call } = reading;
  if (operation === "/stkpush.php") state.pushes += 1;
  if (call.status === 200 && call.leniencies.length === 0 && state.pushes > LOOKED_THROUGH && state.pushes % 16 > 0)
    return;
  const members = membersIn(reading) ?? {};
  const known = state.inputs.get(operation);
  if (known && call.method === "POST") {
    const unknown = Object.keys(members).filter((name) => !known.includes(name));
    for (const name of unknown.slice(0, MOST_UNKNOWN)) {
      note(state, reading, "unknown_member", operation, name, () => `${operation} has no member “${shown(name)}”.`);
    }
  }
  // The strict mode refuses them. The lenient mode lists those that it accepted.
  const texts = NUMBERS.filter((member) => isNumberAsText(members[member]));
  for (const member of texts) {
    if (call.status !== 400 && !call.leniencies.some((leniency) => leniency.member === member)) continue;
    const words = () => `${member} is a number, but came as text: ${shown(JSON.stringify(members[member]))}.`;
    note(state, reading, "number_as_text", operation, member, words);
  }
  for (const { member, came } of call.leniencies) {
    if (texts.includes(member)) continue;
    const words = () => `${member} came in a form that only the lenient mode takes: ${shown(came)}.`;
    note(state, reading, "lenient_input", operation, member, words);
  }
}

const isNumberAsText = (value: unknown): boolean =>
  typeof value === "string" && /^\s*[0-9]+(?:\.[0-9]+)?\s*$/.test(value);

function note(
  state: AuditState,
  { call }: Reading,
  kind: "unknown_member" | "number_as_text" | "lenient_input",
  operation: string,
  member: string,
  message: () => string,
): void {
  const subject = `${operation} ${shown(member)}`;
  state.note({ kind, subject, requestIds: [call.id], payment: null, atMs: call.atMs, message });
}
