import { isFiltered } from "../logic/filters.ts";
import { formatAmount, formatCount } from "../logic/format.ts";
import { filters, summary, totalItems } from "../state.ts";

/** The API's own summary: over all that the filters select, not only what is loaded. */
export function Summary() {
  const { value } = summary;
  return (
    <dl class="summary" aria-label="Summary">
      <div class="received">
        <dt>{isFiltered(filters.value) ? "Received, of these" : "Received"}</dt>
        <dd>
          <small>KES</small> {value ? formatAmount(value.total_completed_amount) : "–"}
        </dd>
      </div>
      <Figure name="Payments" count={totalItems.value} />
      <Figure name="Completed" count={value?.completed_count} status="completed" />
      <Figure name="Pending" count={value?.pending_count} status="pending" />
      <Figure name="Failed" count={value?.failed_count} status="failed" />
    </dl>
  );
}

function Figure({ name, count, status }: { name: string; count: number | null | undefined; status?: string }) {
  return (
    <div data-status={status}>
      <dt>{name}</dt>
      <dd>{count == null ? "–" : formatCount(count)}</dd>
    </div>
  );
}
