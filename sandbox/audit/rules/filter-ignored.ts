import { FILTERS_IN_WORDS } from "../../../src/domain/filters.ts";
import { ignoredFiltersIn, meantBy } from "../facts/lists.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";
import { isFollowed } from "./takes-wrong-row.ts";

interface Ignored extends Verdict {
  readonly name: string;
}

export const filterIgnored = requestRule({
  kind: "filter_ignored",
  severity: "warning",
  section: "§4.3",
  label: "filter is ignored",
  advice: `Use the name of the specification: the list ignores any other, and answers as if it were not there. The parameters are page, limit, ${FILTERS_IN_WORDS}.`,
  judges: "requests",
  of: ["list", "status"],
  judge(request): readonly Ignored[] | Ignored | null {
    if (request.operation === "status") {
      const name = request.sighting?.ignored ?? null;
      return name !== null && isFollowed(request) ? { severity: "error", group: clean(name), name } : null;
    }
    if (request.query === "" || request.call.status !== 200) return null;
    return ignoredFiltersIn(request).map(({ name }) => ({ group: clean(name), name }));
  },
  explain({ operation, call, payment, sighting }, { name }) {
    const ignored = `The list has no parameter “${clean(name)}”, and ignores it`;
    return {
      message:
        operation === "list"
          ? `${ignored}; ${meantBy(name)} was probably meant.`
          : `${ignored}, and the client took a row that it would have left out; ${meantBy(name)} was probably meant.`,
      requestIds: sighting ? [sighting.list.requestId, call.id] : [call.id],
      payment,
      atMs: call.atMs,
    };
  },
});
