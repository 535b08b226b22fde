import { useSignal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, TargetedEvent } from "preact";
import { FILTER_NAMES, type FilterName, filterOf } from "../../../../src/domain/filters.ts";
import { chooseMerchant, setFilters, setting } from "../actions.ts";
import { loadForExport, MOST_EXPORTED } from "../loading.ts";
import { csvOf } from "../logic/csv.ts";
import { type Filters, isFiltered, NO_FILTERS, parseSpan } from "../logic/filters.ts";
import { formatCount, wallClock } from "../logic/format.ts";
import { problemsOf } from "../logic/problems.ts";
import { filterProblem, filters, merchantId, merchants, totalItems } from "../state.ts";
import { after, saveFile } from "../system.ts";
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
      <ExportButton />
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

const SAID_MS = 4000;

/** Downloads what the server finds as CSV, up to the bound of an export. It does not know the interval of the chart. */
function ExportButton() {
  const call = useCall();
  const said = useSignal("CSV");
  const save = () =>
    void call.run(async () => {
      const transactions = await loadForExport();
      saveFile("momo-payments.csv", "text/csv;charset=utf-8", csvOf(transactions));
      const isAll = transactions.length < MOST_EXPORTED || totalItems.value === MOST_EXPORTED;
      said.value = `Saved ${isAll ? "" : "newest "}${formatCount(transactions.length)}`;
      after(SAID_MS, setting(said, "CSV"));
    });
  return (
    <>
      <button
        type="button"
        class="quiet export"
        disabled={call.isUnderWay}
        title={`Save what the server finds, at most the newest ${formatCount(MOST_EXPORTED)}; an interval of the chart does not count`}
        onClick={save}
      >
        <span aria-live="polite">{said.value}</span>
      </button>
      <FormProblem problems={call.problems} />
    </>
  );
}
