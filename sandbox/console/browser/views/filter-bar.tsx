import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { FILTER_NAMES, type FilterName, filterOf } from "../../../../src/domain/filters.ts";
import { setFilters, setting } from "../actions.ts";
import { addressOfCall, api, token } from "../api.ts";
import type { CallFilters } from "../logic/calls.ts";
import { type Filters, inForce, isFiltered, NO_FILTERS } from "../logic/filters.ts";
import { dayInWords, instantOf } from "../logic/format.ts";
import { NO_PROBLEMS, problemsOf } from "../logic/problems.ts";
import { exportPath, filters, list } from "../state.ts";
import { saveFile } from "../system.ts";
import { ANY, type Bound, bound, FormProblem, SelectField, TextField, useCall } from "./form.tsx";
import { goToRows, goToSearch, PauseButton } from "./long-list.tsx";

interface FilterFrameProps {
  readonly search: Bound & { readonly placeholder: string };
  readonly none: Partial<Filters & CallFilters>;
  readonly isFiltered: boolean;
  readonly below?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The filters of a list, and its pause. */
export const FilterFrame = ({ search, none, isFiltered: isSet, below, children }: FilterFrameProps) => (
  <search class="row filters">
    <TextField label="Search" type="search" {...search} onKeyDown={({ key }) => key === "ArrowDown" && goToRows()} />
    {children}
    <PauseButton />
    {isSet && (
      <button type="button" class="quiet" onClick={clear(none)}>
        Clear
      </button>
    )}
    {below}
  </search>
);

const clear = (none: Partial<Filters & CallFilters>) => () => {
  setFilters(none);
  goToSearch();
};

const LABELS = Object.fromEntries(FILTER_NAMES.map((name) => [name, filterOf(name).field.label]));

/** The filters of the API (§4.3). */
export function FilterBar() {
  const { value } = filters;
  const problems = list.value.problem ? problemsOf(list.value.problem, Object.keys(NO_FILTERS)) : NO_PROBLEMS;
  const bind = (name: keyof Filters) => ({
    ...bound(`filter-${name}`, value[name], (typed) => setFilters({ [name]: typed }), problems.fields[name]),
    title: filterOf(name).words,
  });
  const field = (name: FilterName) => {
    const { field: words, choices, parse } = filterOf(name);
    if (choices) return <SelectField key={name} label={words.label} of={[ANY, ...choices]} {...bind(name)} />;
    const { value: typed, ...others } = bind(name);
    if (words.type !== "date") return <TextField key={name} {...words} {...others} value={typed} />;
    // A date field can only have a day of the calendar.
    const isDay = parse(typed) !== null;
    const day = isDay ? dayInWords(instantOf(`${typed} 00:00:00`)) : "any day";
    return <TextField key={name} {...words} {...others} value={isDay ? typed : ""} data-day={day} />;
  };
  const moreSet = Object.keys(inForce({ ...value, search: "", status: "" })).length;
  const isMoreSet = moreSet > 0;
  const isMore = useSignal(isMoreSet);
  // They stay when the text of the last one is deleted, to type another one.
  useEffect(() => {
    if (isMoreSet) isMore.value = true;
  }, [isMoreSet]);
  return (
    <FilterFrame
      search={{ ...bind("search"), placeholder: "Phone or reference; 0042 finds INV-0042" }}
      none={NO_FILTERS}
      isFiltered={isFiltered(value)}
      below={
        <>
          {isMore.value && (
            <div class="row whole-line">
              {FILTER_NAMES.filter((name) => name !== "status" && name !== "search").map(field)}
            </div>
          )}
          <FormProblem problems={problems} form="filter" labels={LABELS} />
        </>
      }
    >
      {field("status")}
      <button type="button" class="quiet" aria-expanded={isMore.value} onClick={setting(isMore, !isMore.value)}>
        Filters {!isMore.value && isMoreSet && <span class="pill">{moreSet}</span>}
      </button>
      <ExportLink />
    </FilterFrame>
  );
}

/** Downloads all that the server finds. */
function ExportLink() {
  const call = useCall();
  const saveWithToken = () =>
    void call.run(async () => {
      saveFile("momo-payments.csv", await api.blob(exportPath.value));
    });
  // A spreadsheet shows the 12 digits of a phone as 2.54712E+11.
  const title = "All that the filters select. Digits that are a text begin with ', so that a spreadsheet keeps them";
  // A link cannot send the token.
  if (token.value === null) {
    return (
      <a class="button quiet" href={addressOfCall(exportPath.value)} download title={title}>
        CSV
      </a>
    );
  }
  return (
    <>
      <button type="button" class="quiet" title={title} onClick={saveWithToken}>
        CSV
      </button>
      <FormProblem problems={call.problems} />
    </>
  );
}
