import { parametersIn } from "../../../src/domain/parameters.ts";
import { meantBy } from "../facts/lists.ts";
import { namesOne } from "../facts/mentions.ts";
import type { ClientRequest } from "../facts/request.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";

export const unknownParameter = requestRule({
  kind: "unknown_parameter",
  severity: "note",
  section: "§4.3",
  label: "unknown parameter",
  advice: "Leave it out: the service ignores it. The filters are type, status, date_from, date_to, search and id.",
  judges: "requests",
  of: ["list"],
  judge(request): readonly Verdict[] | null {
    if (request.query === "") return null;
    return unknownIn(request).map((name) => ({ group: clean(name) }));
  },
  explain: ({ call }, { group }) => ({
    message: `The list has no parameter “${group}”.`,
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
  }),
});

/** The parameters that do not exist, without those that other findings name. */
function unknownIn({ query, inputs, call }: ClientRequest): string[] {
  const names = [...new Set(parametersIn(query).keys())];
  const isForOne = names.includes("search") || names.includes("id");
  const isNamed = (name: string) => call.status === 200 && (meantBy(name) !== null || (namesOne(name) && !isForOne));
  return names.filter((name) => inputs?.includes(name) === false && !isNamed(name));
}
