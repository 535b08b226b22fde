import { openPayment } from "../state.ts";
import { FilterBar } from "./filter-bar.tsx";
import { OutcomesOverTime } from "./outcomes-over-time.tsx";
import { StoryPane } from "./story.tsx";
import { Tiles } from "./tiles.tsx";
import { TransactionTable } from "./transaction-table.tsx";

/** The dashboard: the payments, and the story of one. */
export function Transactions() {
  const id = openPayment.value;
  return (
    <div class="split" data-open={id !== null}>
      <section class="list-side" aria-label="Payments">
        <div class="overview">
          <Tiles />
          <OutcomesOverTime />
        </div>
        <FilterBar />
        <TransactionTable />
      </section>
      {id !== null && <StoryPane key={id} id={id} />}
    </div>
  );
}
