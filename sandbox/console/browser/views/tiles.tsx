import { setFilters } from "../actions.ts";
import { isFiltered } from "../logic/filters.ts";
import { formatAmount, formatCount } from "../logic/format.ts";
import { counts, filters, shownRows } from "../state.ts";
import type { Counts, Status } from "../wire.ts";

const TILES: readonly (readonly [status: Status, label: string])[] = [
  ["completed", "Completed"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
  ["expired", "Expired"],
  ["pending", "Pending"],
];

/** Counts by status, of the payments that the other filters select. A click filters by a status, another click shows all again. */
export function Tiles() {
  const inForce = filters.value;
  const shown = inForce.span === "" ? counts.value : countsOfSpan();
  const total = shown && TILES.reduce((sum, [status]) => sum + shown[`${status}_count`], 0);
  return (
    <div class="tiles">
      <p class="tile received">
        <span>KES {isFiltered({ ...inForce, status: "", finished: "" }) ? "received, of these" : "received"}</span>
        <b>{shown ? formatAmount(shown.total_completed_amount) : "–"}</b>
        <small>{total === null ? "" : `of ${formatCount(total)} payment${total === 1 ? "" : "s"}`}</small>
      </p>
      {TILES.map(([status, label]) => (
        <button
          key={status}
          type="button"
          class="tile"
          data-status={status}
          aria-pressed={inForce.status === status}
          onClick={() => setFilters({ ...inForce, status: inForce.status === status ? "" : status })}
        >
          <span>{label}</span>
          <b>{shown ? formatCount(shown[`${status}_count`]) : "–"}</b>
        </button>
      ))}
    </div>
  );
}

/** Counts the loaded rows, because the API has no intervals within a day. */
function countsOfSpan(): Counts {
  const count = (status: Status) => shownRows.value.filter((row) => row.status === status).length;
  const received = shownRows.value.reduce((sum, { status, amount }) => sum + (status === "completed" ? amount : 0), 0);
  return {
    total_completed_amount: received,
    completed_count: count("completed"),
    failed_count: count("failed"),
    cancelled_count: count("cancelled"),
    expired_count: count("expired"),
    pending_count: count("pending"),
  };
}
