import { reasonOf } from "../../../network/reason.ts";
import { addressOf, select, setFilters } from "../actions.ts";
import { quietly } from "../asking.ts";
import { loadMore } from "../loading.ts";
import { COUNTED, ofStatus, totalOf } from "../logic/counts.ts";
import { isFiltered, NO_FILTERS } from "../logic/filters.ts";
import { labelsOf } from "../logic/findings.ts";
import { capitalised, dayOf, formatAmount, formatCount, formatPhone, shortDayOf, timeOfDay } from "../logic/format.ts";
import * as state from "../state.ts";
import { filters, list } from "../state.ts";
import type { Transaction } from "../wire.ts";
import type { ColumnHead } from "./card.tsx";
import { OutcomesOverTime } from "./chart.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { LongList } from "./long-list.tsx";
import { StatusBadge, Warned } from "./marks.tsx";
import { TestPaymentButton } from "./start.tsx";
import { StoryPane } from "./story.tsx";

export function Transactions() {
  const id = state.openPayment.value;
  return (
    <div class="split" data-open={id !== null}>
      <section class="list-side column" aria-label="Payments">
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

const COLUMNS: readonly ColumnHead[] = [
  ["Time", "c-time", 9.25],
  ["Reference", "c-ref"],
  [<span class="unseen">Findings</span>, "c-sign", 1.5],
  ["Phone", "c-phone", 7.25],
  ["Amount, KES", "c-amount number", 10.25],
  ["Status", "c-status", 7.5],
  ["Result", "c-result", 10.25],
];

/** The live list of payments, newest first: the API has no other order. */
function TransactionTable() {
  const { payments } = state;
  const rows = payments.rows.value;
  const hasMore = rows.length > 0 && rows.length + payments.waiting.value.length < (list.value.total ?? 0);
  const isFull = rows.length >= state.MOST_ROWS;
  const isEmpty = list.isCurrent() && rows.length === 0;
  return (
    <LongList
      rows={rows}
      waiting={payments.waiting.value.length}
      showWaiting={() => payments.showWaiting()}
      more={hasMore && !isFull ? () => void quietly(loadMore) : null}
      label="Payments, newest first"
      style="transactions"
      columns={COLUMNS}
      row={Row}
    >
      {hasMore && isFull && (
        <p class="hint below">
          These are {formatCount(state.MOST_ROWS)}, as many as the page shows. Filters reach the rest.
        </p>
      )}
      {isEmpty && list.value.problem === null && <NothingYet />}
    </LongList>
  );
}

function Row({ of: transaction }: { of: Transaction }) {
  const { checkout_request_id, created_at, reference, phone, amount, status, kind } = transaction;
  const isOpen = state.openPayment.value === checkout_request_id;
  const found = state.paymentFindings.value.get(checkout_request_id);
  const reason = reasonOf(transaction, state.outcomes.value);
  return (
    <tr data-tone={status} data-open={isOpen} onClick={() => select(checkout_request_id)}>
      <td class="c-time" style="grid-area: time">
        <a
          class="bare"
          href={addressOf("transactions", checkout_request_id)}
          tabIndex={-1}
          data-row={checkout_request_id}
          aria-current={isOpen ? "true" : undefined}
          onClick={(event) => {
            // The row opens the story and keeps the filters.
            if (!event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault();
          }}
        >
          {dayOf(created_at) !== state.today.value && <span class="muted">{shortDayOf(created_at)} </span>}
          <time>{timeOfDay(created_at)}</time>
        </a>
      </td>
      <td class="c-ref" style="grid-area: ref" title={reference ?? "no reference"}>
        {kind !== "api" && <span class="pill">{kind}</span>} <Reference text={reference} />
      </td>
      <td class="c-sign" style="grid-area: sign">
        {found && <Warned words={labelsOf(found)} isSign />}
      </td>
      <td class="c-phone" style="grid-area: phone">
        {formatPhone(phone)}
      </td>
      <td class="c-amount number" style="grid-area: amount">
        {formatAmount(amount)}
      </td>
      <td class="c-status" style="grid-area: status">
        <StatusBadge status={status} />
      </td>
      <td class="c-result muted small" style="grid-area: result" title={reason}>
        {reason || <code>{transaction.momo_receipt_number}</code>}
      </td>
    </tr>
  );
}

/** A long reference is cut in the middle: those of one shop differ at the end. */
function Reference({ text }: { text: string | null }) {
  if (text === null) return <span class="muted">–</span>;
  const letters = [...text];
  if (letters.length <= 14) return text;
  return (
    <span class="ends" dir="auto">
      <span class="cut">{letters.slice(0, -6)}</span>
      <span>{letters.slice(-6)}</span>
    </span>
  );
}

/** An empty list says how to start a payment, or what else can be searched. */
function NothingYet() {
  if (isFiltered(state.filters.value)) return <NothingFound />;
  return (
    <div class="empty stack">
      <h2>No payments yet</h2>
      <p>
        <TestPaymentButton /> The customer's phone rings.
      </p>
      <p>
        From your own code: <a href={addressOf("start")}>lines to paste, in four languages</a>.
      </p>
    </div>
  );
}

function NothingFound() {
  const { search, ...others } = state.filters.value;
  const text = search.trim();
  return (
    <div class="empty stack muted">
      <p>No payment fits these filters.</p>
      {text !== "" && (
        <p>
          A search finds a phone or a reference that begins with “{text}”, and a reference that ends with “-{text}” or
          “/{text}”; or a whole receipt, transaction code or request id.
        </p>
      )}
      <p class="row">
        {text !== "" && isFiltered(others) && (
          <button type="button" onClick={() => setFilters({ ...NO_FILTERS, search })}>
            Search all payments
          </button>
        )}
        <button type="button" onClick={() => setFilters(NO_FILTERS)}>
          Show all payments
        </button>
        {text !== "" && (
          <a class="button" href={addressOf("requests", null, { search: text })}>
            Search the requests
          </a>
        )}
      </p>
    </div>
  );
}

/** Counts by status, of the payments that the other filters select. A click filters by a status, another click shows all again. */
function Tiles() {
  const inForce = filters.value;
  const shown = list.value.counts;
  const received = shown && (inForce.status === "" ? shown : ofStatus(shown, inForce.status));
  return (
    <div class="tiles">
      <p class="tile received">
        <span class="label tiny">KES received</span>
        <Figure text={received ? formatAmount(received.total_completed_amount) : "–"} />
        <small class="muted">
          {received &&
            `${formatCount(received.completed_count)} paid${isFiltered(inForce) ? `, ${formatCount(totalOf(received))} found` : ` of ${formatCount(totalOf(received))}`}`}
        </small>
      </p>
      {COUNTED.map((status) => (
        <button
          key={status}
          type="button"
          class="tile"
          data-tone={status}
          aria-pressed={inForce.status === status}
          onClick={() => setFilters({ status: inForce.status === status ? "" : status })}
        >
          <span class="label tiny dot">{capitalised(status)}</span>
          <Figure text={shown ? formatCount(shown[`${status}_count`]) : "–"} />
        </button>
      ))}
    </div>
  );
}

/** A long number is smaller, so that it fits. */
const Figure = ({ text }: { text: string }) => <b style={{ "--length": text.length }}>{text}</b>;
