import { setFilters } from "../actions.ts";
import { isFiltered } from "../logic/filters.ts";
import { formatAmount, formatCount } from "../logic/format.ts";
import { counted } from "../logic/steering.ts";
import { counts, filters, shownRows } from "../state.ts";
import type { Counts, Status } from "../wire.ts";

const ORDER: readonly Status[] = ["completed", "failed", "cancelled", "expired", "pending"];

/** Counts by status, of the payments that the other filters select. A click filters by a status, another click shows all again. */
export function Tiles() {
  const inForce = filters.value;
  const shown = inForce.span === "" ? counts.value : countsOfSpan();
  const total = shown && ORDER.reduce((sum, status) => sum + shown[`${status}_count`], 0);
  return (
    <div class="tiles">
      <p class="tile received">
        <span class="label">
          KES {isFiltered({ ...inForce, status: "", finished: "" }) ? "received, of these" : "received"}
        </span>
        <b>{shown ? formatAmount(shown.total_completed_amount) : "–"}</b>
        <small class="muted">{total !== null && `of ${counted(total, "payment")}`}</small>
      </p>
      {ORDER.map((status) => (
        <button
          key={status}
          type="button"
          class="tile"
          data-tone={status}
          aria-pressed={inForce.status === status}
          onClick={() => setFilters({ status: inForce.status === status ? "" : status })}
        >
          <span class="label dot">{status.replace(/^./, (letter) => letter.toUpperCase())}</span>
          <b>{shown ? formatCount(shown[`${status}_count`]) : "–"}</b>
        </button>
      ))}
    </div>
  );
}

/** Counts the loaded rows, because the API has no intervals within a day. */
function countsOfSpan(): Counts {
  const rows = shownRows.value;
  const numbers = ORDER.map((status) => [`${status}_count`, rows.filter((row) => row.status === status).length]);
  const received = rows.reduce((sum, { status, amount }) => sum + (status === "completed" ? amount : 0), 0);
  return { ...Object.fromEntries(numbers), total_completed_amount: received };
}
