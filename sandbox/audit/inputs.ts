import { shown } from "./call.ts";
import { type AuditState, membersIn, type Reading } from "./rules.ts";

const NUMBERS = ["payment_account_id", "amount"];

/** How many unknown names of one body are reported. */
const MOST_UNKNOWN = 20;

/** The first pushes are all checked, later ones only every sixteenth, because checking slows payments down. */
const ALWAYS_CHECKED = 1000;

/** Finds members that have no effect, and values that only a lenient service accepts. */
export function auditInput(state: AuditState, operation: string, reading: Reading): void {
  const { call } = reading;
  if (operation === "/stkpush.php") state.pushes += 1;
  if (call.status === 200 && call.leniencies.length === 0 && state.pushes > ALWAYS_CHECKED && state.pushes % 16 > 0)
    return;
  const members = membersIn(reading) ?? {};
  const known = state.inputs.get(operation);
  if (known && call.method === "POST") {
    const unknown = Object.keys(members).filter((name) => !known.includes(name));
    for (const name of unknown.slice(0, MOST_UNKNOWN)) {
      note(state, reading, "unknown_member", operation, name, () => `${operation} has no member “${shown(name)}”.`);
    }
  }
  // The strict mode refuses a number as text. The lenient mode lists each one that it accepted.
  const texts = NUMBERS.filter((member) => isNumberAsText(members[member]));
  for (const member of texts) {
    if (call.status !== 400 && !call.leniencies.some((leniency) => leniency.member === member)) continue;
    const words = () => `${member} must be a number, but was sent as text: ${shown(JSON.stringify(members[member]))}.`;
    note(state, reading, "number_as_text", operation, member, words);
  }
  for (const { member, came } of call.leniencies) {
    if (texts.includes(member)) continue;
    const words = () => `${member} has a form that only the lenient mode accepts: ${shown(came)}.`;
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
