import { shown } from "./call.ts";
import type { AuditState, Reading } from "./rules.ts";

/** The members of each operation's body. */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  "/stkpush.php": new Set(["payment_account_id", "phone", "amount", "reference", "description"]),
  "/status.php": new Set(["checkout_request_id"]),
};

const NUMBERS = ["payment_account_id", "amount"];

/** More names of one body are noise. */
const MOST_UNKNOWN = 20;

/** Finds members that do nothing, and values that only a lenient service takes. */
export function auditInput(state: AuditState, operation: string, { call, members }: Reading): void {
  const known = MEMBERS[operation];
  if (members && known) {
    let unknown = 0;
    for (const name in members) {
      if (known.has(name) || unknown >= MOST_UNKNOWN) continue;
      unknown += 1;
      note("unknown_member", name, () => `${operation} has no member “${shown(name)}”.`);
    }
  }
  // The strict mode refuses them; the lenient one tells which it took.
  const refused = call.status === 400 && operation === "/stkpush.php" ? NUMBERS.filter(isNumberAsText) : [];
  for (const member of call.leniencies ?? refused) {
    if (isNumberAsText(member) && NUMBERS.includes(member)) {
      note(
        "number_as_text",
        member,
        () => `${member} is a number, but came as text: ${shown(JSON.stringify(members?.[member]))}.`,
      );
    } else {
      note("lenient_input", member, () => `${shown(member)} came in a form that only the lenient mode takes.`);
    }
  }

  function isNumberAsText(member: string): boolean {
    const value = members?.[member];
    return typeof value === "string" && /^\s*[0-9]+(?:\.[0-9]+)?\s*$/.test(value);
  }

  function note(kind: "unknown_member" | "number_as_text" | "lenient_input", member: string, message: () => string) {
    state.note({
      kind,
      subject: `${operation} ${shown(member)}`,
      requestIds: [call.id],
      payment: null,
      atMs: call.atMs,
      message,
    });
  }
}
