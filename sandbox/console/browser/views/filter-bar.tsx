import { useSignal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, TargetedEvent } from "preact";
import { FILTER_NAMES, type FilterName, filterOf } from "../../../../src/domain/filters.ts";
import { chooseMerchant, setFilters, setting } from "../actions.ts";
import { addressOfCall, api } from "../api.ts";
import { exportPath } from "../loading.ts";
import { type Filters, isFiltered, NO_FILTERS, parseSpan } from "../logic/filters.ts";
import { wallClock } from "../logic/format.ts";
import { problemsOf } from "../logic/problems.ts";
import { filterProblem, filters, merchantId, merchants, token } from "../state.ts";
import { saveFile } from "../system.ts";
import { ANY, type Choice, FormProblem, Options, useCall } from "./form.tsx";
import { goToHits, PauseButton } from "./long-list.tsx";
import { CloseIcon } from "./marks.tsx";

interface FilterFrameProps {
  readonly search: Bound & { readonly placeholder: string };
  /** Beside the search. */
  readonly first?: ComponentChildren;
  /** Without room, hidden behind a button. */
  readonly more: ComponentChildren;
  readonly none: Parameters<typeof setFilters>[0];
  readonly isFiltered: boolean;
  readonly children?: ComponentChildren;
}

/** The filters of a list, and its pause. */
export function FilterFrame({ search, first, more, none, isFiltered: isSet, children }: FilterFrameProps) {
  const isMore = useSignal(false);
  return (
    <search class="row filters">
      <TextFilter label="Search" type="search" {...search} onKeyDown={goToHits} />
      {first}
      <button type="button" class="quiet more" aria-expanded={isMore.value} onClick={setting(isMore, !isMore.value)}>
        {isMore.value ? "Fewer" : "More"}
      </button>
      <div class="row more-filters" data-open={isMore.value}>
        {more}
      </div>
      <PauseButton />
      {children}
      <button type="button" class="quiet clear" disabled={!isSet} onClick={() => setFilters(none)}>
        Clear
      </button>
    </search>
  );
}

/** The filters of the API (§4.3), and the interval that is picked in the chart. */
export function FilterBar() {
  const { value } = filters;
  const problems = problemsOf(filterProblem.value ?? "", Object.keys(NO_FILTERS));
  const bind = (name: keyof Filters) => ({
    ...bound("filter", name, value[name], (typed) => setFilters({ [name]: typed })),
    ...(problems.fields[name] && { "aria-invalid": true, "aria-describedby": "filter-problem" }),
  });
  const field = (name: FilterName) => {
    const { field: words, choices } = filterOf(name);
    if (choices) return <SelectFilter key={name} label={words.label} of={[ANY, ...choices]} {...bind(name)} />;
    return <TextFilter key={name} {...words} {...bind(name)} />;
  };
  const span = parseSpan(value.span);
  return (
    <FilterFrame
      search={{ ...bind("search"), placeholder: "Phone, reference, receipt or request id" }}
      first={field("status")}
      more={
        <>
          {FILTER_NAMES.filter((name) => name !== "status" && name !== "search").map(field)}
          <MerchantFilter />
        </>
      }
      none={NO_FILTERS}
      isFiltered={isFiltered(value)}
    >
      <ExportLink />
      {span && (
        <button type="button" class="box tone small" data-tone="completed" onClick={() => setFilters({ span: "" })}>
          {wallClock(span.fromMs)} to {wallClock(span.untilMs)}
          <CloseIcon />
          <span class="unseen">Show all times</span>
        </button>
      )}
      <div class="filter-problem" role="alert" id="filter-problem">
        {filterProblem.value && <p class="problem">{filterProblem.value}</p>}
      </div>
    </FilterFrame>
  );
}

type Bound = ReturnType<typeof bound>;

/** What connects a field with a filter. */
export const bound = (bar: string, name: string, value: string, set: (value: string) => void) => ({
  id: `${bar}-${name}`,
  value,
  onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLSelectElement>) => set(currentTarget.value),
});

export function TextFilter({ label, ...input }: { readonly label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label class={`field ${input.type ?? ""}`}>
      <span>{label}</span>
      <input type="text" {...input} />
    </label>
  );
}

export function SelectFilter({ label, of, ...select }: { label: string; of: readonly Choice[] } & Bound) {
  return (
    <label class="field">
      <span>{label}</span>
      <select {...select}>
        <Options of={of} />
      </select>
    </label>
  );
}

function MerchantFilter() {
  if (merchants.value.length < 2) return null;
  const choose = (id: string) => chooseMerchant(Number(id));
  const of = merchants.value.map(({ id, name }) => [id, name] as const);
  return <SelectFilter label="Merchant" of={of} {...bound("filter", "merchant", String(merchantId.value), choose)} />;
}

/** Downloads all that the server finds, which does not know the interval of the chart. */
function ExportLink() {
  const call = useCall();
  const saveWithToken = () =>
    void call.run(async () => {
      saveFile("momo-payments.csv", await api.blob(exportPath.value));
    });
  const title = "Save all that the filters select; an interval of the chart does not count";
  // A link cannot send the token.
  if (token.value === null) {
    return (
      <a class="button quiet export" href={addressOfCall(exportPath.value)} download title={title}>
        CSV
      </a>
    );
  }
  return (
    <>
      <button type="button" class="quiet export" disabled={call.isUnderWay} title={title} onClick={saveWithToken}>
        CSV
      </button>
      <FormProblem problems={call.problems} />
    </>
  );
}
