import { type Signal, useSignal } from "@preact/signals";
import type { InputHTMLAttributes, TargetedEvent } from "preact";
import { chooseMerchant, setFilters } from "../actions.ts";
import { loadForExport, MOST_EXPORTED } from "../loading.ts";
import { csvOf } from "../logic/csv.ts";
import { isFiltered, NO_FILTERS, parseSpan } from "../logic/filters.ts";
import { formatCount, wallClock } from "../logic/format.ts";
import { problemsOf } from "../logic/problems.ts";
import { filterProblem, filters, merchantId, merchants, totalItems } from "../state.ts";
import { after, saveFile } from "../system.ts";
import { KINDS, STATUSES } from "../wire.ts";
import { FormProblem, useCall } from "./form.tsx";
import { CloseIcon } from "./icons.tsx";
import { goToHits, PauseButton } from "./long-list.tsx";

/** The filters of the API (§4.3), and the interval that is picked in the chart. */
export function FilterBar() {
  const { value } = filters;
  const isMore = useSignal(false);
  const problems = problemsOf(filterProblem.value ?? "", Object.keys(NO_FILTERS));
  const bind = (name: keyof typeof NO_FILTERS) => ({
    id: `filter-${name}`,
    value: value[name],
    onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLSelectElement>) =>
      setFilters({ ...filters.value, [name]: currentTarget.value }),
    ...(problems.fields[name] && { "aria-invalid": "true" as const, "aria-describedby": "filter-problem" }),
  });
  return (
    <search class="filters">
      <TextFilter
        label="Search"
        type="search"
        {...bind("search")}
        placeholder="Phone, reference, receipt or request id"
        onKeyDown={goToHits}
      />
      <Choice label="Status" names={STATUSES} {...bind("status")} />
      <button
        type="button"
        class="quiet"
        aria-pressed={value.finished !== ""}
        onClick={() => setFilters({ ...filters.value, finished: value.finished === "" ? "only" : "" })}
      >
        Finished only
      </button>
      <MoreButton isMore={isMore} />
      <div class="more-filters" data-open={isMore.value}>
        <Choice label="Type" names={KINDS} {...bind("type")} />
        <TextFilter label="From" placeholder="YYYY-MM-DD" size={10} {...bind("date_from")} />
        <TextFilter label="To" placeholder="YYYY-MM-DD" size={10} {...bind("date_to")} />
        <TextFilter label="Id" inputMode="numeric" size={6} {...bind("id")} />
        <MerchantChoice />
      </div>
      <PauseButton />
      <ExportButton />
      <button type="button" class="quiet clear" disabled={!isFiltered(value)} onClick={() => setFilters(NO_FILTERS)}>
        Clear
      </button>
      <SpanChip />
      <div class="filter-problem" role="alert" id="filter-problem">
        {filterProblem.value && <p class="problem">{filterProblem.value}</p>}
      </div>
    </search>
  );
}

/** Without room, only the first filters are shown. */
export function MoreButton({ isMore }: { isMore: Signal<boolean> }) {
  return (
    <button
      type="button"
      class="quiet more"
      aria-expanded={isMore.value}
      onClick={() => {
        isMore.value = !isMore.value;
      }}
    >
      {isMore.value ? "Fewer" : "More"}
    </button>
  );
}

export function TextFilter({ label, ...input }: { readonly label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label class={input.type === "search" ? "search" : undefined}>
      <span>{label}</span>
      <input type="text" {...input} />
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly id: string;
  readonly value: string;
  readonly onInput: (event: TargetedEvent<HTMLSelectElement>) => void;
}

export function Choice({ label, names, ...select }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select {...select}>
        <option value="">any</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function MerchantChoice() {
  if (merchants.value.length < 2) return null;
  return (
    <label>
      <span>Merchant</span>
      <select value={String(merchantId.value)} onChange={(event) => chooseMerchant(Number(event.currentTarget.value))}>
        {merchants.value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function SpanChip() {
  const span = parseSpan(filters.value.span);
  if (span === null) return null;
  return (
    <button type="button" class="chip span" onClick={() => setFilters({ ...filters.value, span: "" })}>
      {wallClock(span.fromMs)} to {wallClock(span.untilMs)}
      <CloseIcon />
      <span class="unseen">Show all times</span>
    </button>
  );
}

const SAID_MS = 4000;

/** Downloads the filtered list as CSV, up to the bound of an export. */
function ExportButton() {
  const call = useCall();
  const said = useSignal<string | null>(null);
  async function save() {
    await call.run(async () => {
      const transactions = await loadForExport();
      saveFile("momo-payments.csv", "text/csv;charset=utf-8", csvOf(transactions));
      const isAll = transactions.length < MOST_EXPORTED || totalItems.value === MOST_EXPORTED;
      said.value = `${isAll ? "" : "newest "}${formatCount(transactions.length)}`;
      after(SAID_MS, () => {
        said.value = null;
      });
    });
  }
  return (
    <>
      <button
        type="button"
        class="quiet export"
        disabled={call.isUnderWay}
        title={`Save what these filters select as a file, at most the newest ${formatCount(MOST_EXPORTED)}`}
        onClick={() => void save()}
      >
        <span aria-live="polite">{said.value === null ? "CSV" : `Saved ${said.value}`}</span>
      </button>
      <FormProblem problems={call.problems} />
    </>
  );
}
