import { useSignal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, TargetedEvent } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { FILTER_NAMES, type FilterName, filterOf } from "../../../../src/domain/filters.ts";
import { chooseMerchant, setFilters, setting } from "../actions.ts";
import { addressOfCall, api } from "../api.ts";
import { exportPath } from "../loading.ts";
import { type Filters, isFiltered, NO_FILTERS, parseSpan } from "../logic/filters.ts";
import { wallClock } from "../logic/format.ts";
import { NO_PROBLEMS, problemsOf } from "../logic/problems.ts";
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
  /** Whether one of these is in force. */
  readonly isMoreSet: boolean;
  readonly none: Parameters<typeof setFilters>[0];
  readonly isFiltered: boolean;
  readonly children?: ComponentChildren;
}

/** The filters of a list, and its pause. */
export function FilterFrame({ search, first, more, isMoreSet, none, isFiltered: isSet, children }: FilterFrameProps) {
  const isMore = useSignal(isMoreSet);
  // They stay when the text of the last one is deleted, to type another one.
  useLayoutEffect(() => {
    if (isMoreSet) isMore.value = true;
  }, [isMoreSet]);
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
  const problems = filterProblem.value ? problemsOf(filterProblem.value, Object.keys(NO_FILTERS)) : NO_PROBLEMS;
  const bind = (name: keyof Filters) => ({
    ...bound("filter", name, value[name], (typed) => setFilters({ [name]: typed })),
    problem: problems.fields[name],
  });
  const field = (name: FilterName) => {
    const { field: words, choices, parse } = filterOf(name);
    if (choices) return <SelectFilter key={name} label={words.label} of={[ANY, ...choices]} {...bind(name)} />;
    const { value: typed, ...others } = bind(name);
    // A date field can only have a day of the calendar.
    const shown = words.type === "date" && parse(typed) === null ? "" : typed;
    return <TextFilter key={name} {...words} {...others} value={shown} />;
  };
  const span = parseSpan(value.span);
  return (
    <FilterFrame
      search={{ ...bind("search"), placeholder: "Phone or reference begins with …" }}
      first={field("status")}
      more={
        <>
          {FILTER_NAMES.filter((name) => name !== "status" && name !== "search").map(field)}
          <MerchantFilter />
        </>
      }
      isMoreSet={isFiltered({ ...value, search: "", status: "", span: "" })}
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
      <div class="filter-problem">
        <FormProblem problems={problems} />
      </div>
    </FilterFrame>
  );
}

/** What connects a field with a filter. */
interface Bound {
  readonly id: string;
  readonly value: string;
  readonly onInput: (event: TargetedEvent<HTMLInputElement | HTMLSelectElement>) => void;
  readonly problem?: string | undefined;
}

export const bound = (bar: string, name: string, value: string, set: (value: string) => void): Bound => ({
  id: `${bar}-${name}`,
  value,
  onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLSelectElement>) => set(currentTarget.value),
});

type TextFilterProps = { readonly label: string } & Bound & InputHTMLAttributes<HTMLInputElement>;

export const TextFilter = ({ label, problem, ...input }: TextFilterProps) => (
  <Labelled id={input.id} type={input.type} label={label} problem={problem}>
    <input type="text" {...input} {...describedBy(input.id, problem)} />
  </Labelled>
);

type SelectFilterProps = { readonly label: string; readonly of: readonly Choice[] } & Bound;

export const SelectFilter = ({ label, of, problem, ...select }: SelectFilterProps) => (
  <Labelled id={select.id} label={label} problem={problem}>
    <select {...select} {...describedBy(select.id, problem)}>
      <Options of={of} />
    </select>
  </Labelled>
);

const describedBy = (id: string, problem: string | undefined) =>
  problem !== undefined && { "aria-invalid": true, "aria-describedby": `${id}-problem` };

interface LabelledProps extends Pick<TextFilterProps, "id" | "label" | "problem"> {
  readonly type?: InputHTMLAttributes["type"];
  readonly children: ComponentChildren;
}

function Labelled({ id, label, type, problem, children }: LabelledProps) {
  return (
    <div class={`field ${type ?? ""}`}>
      <label for={id}>{label}</label>
      {children}
      {problem !== undefined && (
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
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
