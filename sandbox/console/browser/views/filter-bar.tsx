import { useSignal } from "@preact/signals";
import type { TargetedEvent } from "preact";
import { chooseMerchant, setFilters } from "../actions.ts";
import { isFiltered, NO_FILTERS } from "../logic/filters.ts";
import { problemsOf } from "../logic/problems.ts";
import { filterProblem, filters, merchantId, merchants } from "../state.ts";
import { KINDS, STATUSES } from "../wire.ts";

/** The API's own filters (§4.3). */
export function FilterBar() {
  const { value } = filters;
  const isMore = useSignal(false);
  const problems = problemsOf(filterProblem.value ?? "", Object.keys(NO_FILTERS));
  const bind = (name: keyof typeof NO_FILTERS) => ({
    id: `filter-${name}`,
    value: value[name],
    onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLSelectElement>) =>
      setFilters({ ...filters.value, [name]: currentTarget.value.trim() }),
    ...(problems.fields[name] && { "aria-invalid": "true" as const, "aria-describedby": "filter-problem" }),
  });
  return (
    <search class="filters">
      {merchants.value.length > 1 && (
        <label>
          <span>Merchant</span>
          <select
            value={String(merchantId.value)}
            onChange={(event) => chooseMerchant(Number(event.currentTarget.value))}
          >
            {merchants.value.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="search">
        <span>Search</span>
        <input {...bind("search")} type="search" placeholder="Phone, reference, receipt or request id" />
      </label>
      <label>
        <span>Status</span>
        <select {...bind("status")}>
          <option value="">any</option>
          {STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="quiet more"
        aria-expanded={isMore.value}
        onClick={() => {
          isMore.value = !isMore.value;
        }}
      >
        {isMore.value ? "Fewer filters" : "More filters"}
      </button>
      <div class="more-filters" data-open={isMore.value}>
        <label>
          <span>Type</span>
          <select {...bind("type")}>
            <option value="">any</option>
            {KINDS.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <label>
          <span>From</span>
          <input {...bind("date_from")} type="text" placeholder="YYYY-MM-DD" size={10} />
        </label>
        <label>
          <span>To</span>
          <input {...bind("date_to")} type="text" placeholder="YYYY-MM-DD" size={10} />
        </label>
        <label>
          <span>Id</span>
          <input {...bind("id")} type="text" inputMode="numeric" size={6} />
        </label>
      </div>
      {isFiltered(value) && (
        <button type="button" class="quiet" onClick={() => setFilters(NO_FILTERS)}>
          Clear
        </button>
      )}
      <div class="filter-problem" role="alert" id="filter-problem">
        {filterProblem.value && <p class="problem">{filterProblem.value}</p>}
      </div>
    </search>
  );
}
