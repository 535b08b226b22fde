import { goTo } from "../actions.ts";
import { loadMoreRows } from "../loading.ts";
import { controlCurl } from "../logic/commands.ts";
import { isFiltered } from "../logic/filters.ts";
import { dayAt, dayOf, formatAmount, formatCount, formatPhone, timeOfDay } from "../logic/format.ts";
import { formatRoute } from "../logic/route.ts";
import { filters, MOST_ROWS, route, rows, sandboxNow, server, token, totalItems } from "../state.ts";
import type { Transaction } from "../wire.ts";
import { CodeBlock } from "./code-block.tsx";
import { LongList } from "./long-list.tsx";
import { Spacer } from "./spacer.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { useWindowed } from "./windowed.ts";

const ROW_REM = 2.75;

/** The payments, newest first, as they come and as they end. */
export function TransactionTable() {
  const list = useWindowed(rows.value, ROW_REM, () => void loadMoreRows());
  const total = totalItems.value ?? 0;
  return (
    <>
      <LongList list={list} label="Payments, newest first">
        <table class="transactions" aria-rowcount={total + 1}>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Phone</th>
              <th scope="col" class="number">
                Amount, KES
              </th>
              <th scope="col">Status</th>
              <th scope="col" class="when-wide">
                Result
              </th>
              <th scope="col" class="when-wider">
                Receipt
              </th>
              <th scope="col" class="when-wide">
                Type
              </th>
            </tr>
          </thead>
          <Spacer height={list.above} />
          <tbody class="rows">
            {list.rows.map((transaction) => (
              <Row key={transaction.id} transaction={transaction} />
            ))}
          </tbody>
          <Spacer height={list.below} />
        </table>
        {totalItems.value === 0 && <NothingYet />}
      </LongList>
      {rows.value.length >= MOST_ROWS && total > MOST_ROWS && (
        <p class="hint left-out">
          The newest {formatCount(MOST_ROWS)} of {formatCount(total)} are here. Filters reach the rest.
        </p>
      )}
    </>
  );
}

function Row({ transaction }: { transaction: Transaction }) {
  const target = { view: "transactions", checkoutRequestId: transaction.checkout_request_id } as const;
  const isOpen = route.value.checkoutRequestId === transaction.checkout_request_id;
  const { created_at, phone, amount, status, result_code, result_desc, momo_receipt_number, kind } = transaction;
  const isToday = sandboxNow.value !== null && dayOf(created_at) === dayAt(sandboxNow.value);
  return (
    <tr data-status={status} data-open={isOpen} onClick={() => goTo(target)}>
      <td>
        <a href={formatRoute(target)} aria-current={isOpen ? "true" : undefined}>
          {!isToday && <span class="day">{dayOf(created_at)} </span>}
          <time>{timeOfDay(created_at)}</time>
        </a>
      </td>
      <td>{formatPhone(phone)}</td>
      <td class="number">{formatAmount(amount)}</td>
      <td>
        <StatusBadge status={status} />
      </td>
      <td class="when-wide result" title={result_desc ?? ""}>
        {result_code !== null && <code>{result_code}</code>} {result_code === 0 ? "" : result_desc}
      </td>
      <td class="when-wider">
        <code>{momo_receipt_number ?? ""}</code>
      </td>
      <td class="when-wide">{kind}</td>
    </tr>
  );
}

/** An empty list says how it fills. */
function NothingYet() {
  if (isFiltered(filters.value)) return <p class="empty">No payment fits these filters.</p>;
  if (!server.value) return null;
  const body = { payment_account_id: server.value.payment_account_id, phone: "0712345678", amount: 100, kind: "web" };
  return (
    <div class="empty">
      <h2>No payments yet</h2>
      <p>
        Press <b>Test payment</b>, and the customer's phone rings. From a shell:
      </p>
      <CodeBlock
        text={controlCurl(server.value, token.value !== null, "POST", "/payments", body)}
        what="the curl command"
      />
      <p>
        From your own server: <a href="#start">the first lines in four languages</a>.
      </p>
    </div>
  );
}
