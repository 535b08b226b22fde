import { route } from "../state.ts";
import { FilterBar } from "./filter-bar.tsx";
import { OutcomesOverTime } from "./outcomes-over-time.tsx";
import { StoryPane } from "./story.tsx";
import { Summary } from "./summary.tsx";
import { TransactionTable } from "./transaction-table.tsx";

/** What a merchant sees: the payments, and the whole story of one. */
export function Transactions() {
  const { checkoutRequestId } = route.value;
  return (
    <div class="split" data-open={checkoutRequestId !== null}>
      <section class="list-side" aria-label="Transactions">
        <div class="overview">
          <Summary />
          <OutcomesOverTime />
        </div>
        <FilterBar />
        <TransactionTable />
      </section>
      {checkoutRequestId !== null && <StoryPane id={checkoutRequestId} />}
    </div>
  );
}
