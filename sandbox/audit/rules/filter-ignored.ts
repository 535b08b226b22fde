import { FILTERS_IN_WORDS } from "../../../src/domain/filters.ts";
import { ignoredFiltersIn, meantBy } from "../facts/lists.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";
import { isFollowed } from "./takes-wrong-row.ts";

interface Ignored extends Verdict {
  /** The parameter; null for a body. */
  readonly name: string | null;
}

/** Clients send `{}`, `[]` or `null` where they have nothing to send. */
const EMPTY_BYTES = 4;

export const filterIgnored = requestRule({
  kind: "filter_ignored",
  severity: "warning",
  section: "§4.3",
  label: "filter is ignored",
  advice: `Use the name of the specification, in the query: the list ignores any other, and a body, and answers as if it were not there. The parameters are page, limit, ${FILTERS_IN_WORDS}.`,
  judges: "requests",
  of: ["list", "status"],
  judge(request): readonly Ignored[] | Ignored | null {
    if (request.operation === "status") {
      const name = request.sighting?.ignored ?? null;
      return name !== null && isFollowed(request) ? { severity: "error", group: clean(name), name } : null;
    }
    const { call, query } = request;
    if (call.status !== 200) return null;
    if (Number(call.headers.get("Content-Length")) > EMPTY_BYTES) return { group: "body", name: null };
    return query === "" ? null : ignoredFiltersIn(request).map(({ name }) => ({ group: clean(name), name }));
  },
  explain({ operation, call, payment, sighting }, { name }) {
    return {
      message:
        name === null ? "A list was asked for with a body, and ignores it." : messageOf(name, operation === "list"),
      requestIds: sighting ? [sighting.list.requestId, call.id] : [call.id],
      payment,
      atMs: call.atMs,
    };
  },
});

function messageOf(name: string, isList: boolean): string {
  const taken = isList ? "" : ", and the client took a row that it would have left out";
  return `The list has no parameter “${clean(name)}”, and ignores it${taken}; ${meantBy(name)} was probably meant.`;
}
