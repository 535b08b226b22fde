import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";

/** How many unknown names of one body are reported. */
const MOST_UNKNOWN = 20;

interface Unknown extends Verdict {
  readonly name: string;
}

export const unknownMember = requestRule({
  kind: "unknown_member",
  severity: "note",
  section: "§4",
  label: "unknown member",
  advice: "Leave it out, or look for a mistake in its name: the service ignores it.",
  judges: "requests",
  of: ["push", "status"],
  judge({ call, inputs, below }): readonly Unknown[] | null {
    let found: Unknown[] | null = null;
    for (const name in call.members) {
      if (inputs === undefined || inputs.includes(name)) continue;
      found ??= [];
      if (found.length < MOST_UNKNOWN) found.push({ group: `${below} ${clean(name)}`, name });
    }
    return found;
  },
  explain: ({ call, below }, { name }) => ({
    message: `${below} has no member “${clean(name)}”.`,
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
  }),
});
