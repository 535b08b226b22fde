import { FILTERS_IN_WORDS } from "../../../src/domain/filters.ts";
import { parametersIn } from "../../../src/domain/parameters.ts";
import { ignoredFiltersIn } from "../facts/lists.ts";
import type { ClientRequest } from "../facts/request.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";
import { nameOfOne } from "./takes-wrong-row.ts";

export const unknownParameter = requestRule({
  kind: "unknown_parameter",
  severity: "note",
  section: "§4.3",
  label: "unknown parameter",
  advice: `Leave it out: the service ignores it. The filters are ${FILTERS_IN_WORDS}.`,
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
function unknownIn(request: ClientRequest): string[] {
  const { query, inputs, call } = request;
  const names = [...new Set(parametersIn(query).keys())].filter((name) => inputs?.includes(name) === false);
  if (call.status !== 200) return names;
  const ignored = ignoredFiltersIn(request).map(({ name }) => name);
  const one = nameOfOne(request);
  return names.filter((name) => !ignored.includes(name) && name !== one);
}
