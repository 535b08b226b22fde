import { useComputed, useSignal } from "@preact/signals";
import type { TargetedEvent } from "preact";
import { setCallFilters } from "../actions.ts";
import { type CallFilters, NO_CALL_FILTERS, operationOf } from "../logic/calls.ts";
import { labelOf } from "../logic/findings.ts";
import { callFilters, findings, requests } from "../state.ts";
import { Choice, MoreButton, TextFilter } from "./filter-bar.tsx";
import { goToHits, PauseButton } from "./long-list.tsx";

const MOST_NAMES = 12;

const distinct = (...names: readonly string[]): string => [...new Set(names)].slice(0, MOST_NAMES).join("\n");

/** The filters of the log. The page has the whole log, so it filters without the server. */
export function CallFilterBar() {
  const { value } = callFilters;
  const isMore = useSignal(false);
  const bind = (name: keyof CallFilters) => ({
    id: `call-${name}`,
    value: value[name],
    onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLSelectElement>) =>
      setCallFilters({ [name]: currentTarget.value }),
  });
  // As text, so that an equal list is not drawn again.
  const paths = useComputed(() =>
    distinct(
      "stkpush.php",
      "status.php",
      "transactions.php",
      ...requests.value.map(({ target }) => operationOf(target)),
    ),
  );
  const methods = useComputed(() => distinct("GET", "POST", ...requests.value.map(({ method }) => method)));
  const kinds = useComputed(() => distinct(...findings.value.map(({ kind }) => kind)));
  const list = (names: string) => (names === "" ? [] : names.split("\n"));
  return (
    <search class="filters">
      <TextFilter
        label="Search"
        type="search"
        {...bind("search")}
        placeholder="Anything in a request or its answer"
        onKeyDown={goToHits}
      />
      <MoreButton isMore={isMore} />
      <div class="more-filters" data-open={isMore.value}>
        <Choice label="Path" names={list(paths.value)} {...bind("path")} />
        <Choice label="Method" names={list(methods.value)} {...bind("method")} />
        <Choice label="Answer" names={["2xx", "4xx", "5xx", "lost"]} {...bind("answer")} />
        <label>
          <span>Finding</span>
          <select {...bind("finding")}>
            <option value="">any or none</option>
            <option value="any">any</option>
            {list(kinds.value).map((kind) => (
              <option key={kind} value={kind}>
                {labelOf({ kind })}
              </option>
            ))}
          </select>
        </label>
        <TextFilter label="Payment" placeholder="ws_CO_…" size={10} {...bind("payment")} />
      </div>
      <PauseButton />
      <button
        type="button"
        class="quiet clear"
        disabled={Object.values(value).every((text) => text === "")}
        onClick={() => setCallFilters(NO_CALL_FILTERS)}
      >
        Clear
      </button>
    </search>
  );
}
