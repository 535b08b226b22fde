import type { Clock } from "../../src/domain/clock.ts";
import { Refusal } from "../../src/domain/error.ts";
import type { Summary, TransactionFilter } from "../../src/domain/filter.ts";
import { toShillings } from "../../src/domain/money.ts";
import type { ResultCode } from "../../src/domain/outcome.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { listTransactionsSchema, selectionOf } from "../../src/http/input.ts";
import { succeed, succeedWithList } from "../../src/http/reply.ts";
import { listMessage, listView } from "../../src/http/view.ts";
import type { Service } from "../../src/service/service.ts";
import { decidedBy } from "../network/decided-by.ts";
import { RESULT_ADVICE } from "../network/outcomes.ts";
import { receiptSms } from "../network/sms.ts";
import type { LoggedRequest } from "../request-log.ts";
import type { ControlCall } from "./context.ts";
import { parseQuery } from "./input.ts";
import { MAX_PAGE_BYTES, writeTexts } from "./paging.ts";
import { merchantOfQuery } from "./registry.ts";
import type { StoryOnWire, StoryRequest } from "./shapes/payments.ts";
import { deliveryView, promptView, requestView, transactionView } from "./views.ts";

/**
 * `GET /_momo/transactions`: the answer of `GET /transactions.php` (§4.3) for the merchant of `?merchant_id=`, by default the
 * first, with the same parameters. It adds each reference, and the counts of all statuses, also with a `status` filter.
 */
export const listTransactions: ControlCall = async ({ signal }, { service }, { query }) => {
  const { filter, page } = selectionOf(parseQuery(listTransactionsSchema, query));
  const { id } = await merchantOfQuery(query, service);
  const list = await service.listTransactions(id, filter, page, signal);
  return succeed(listMessage(list.summary), {
    ...listView(list, filter, page, {}),
    transactions: list.rows.map(transactionView),
    every_status: countsView(filter.status === undefined ? list.summary : await countsOf(service, id, filter)),
  });
};

/** The counts that a filter selects without its status. */
async function countsOf(service: Service, merchantId: number, { status: _, ...filter }: TransactionFilter) {
  return (await service.listTransactions(merchantId, filter, { number: 1, limit: 1 })).summary;
}

function countsView(summary: Summary) {
  return {
    total_completed_amount: toShillings(summary.completedAmountCents),
    completed_count: summary.completedCount,
    failed_count: summary.failedCount,
    cancelled_count: summary.cancelledCount,
    expired_count: summary.expiredCount,
    pending_count: summary.pendingCount,
  };
}

/** `GET /_momo/transactions/CHECKOUT_REQUEST_ID`: the whole story of one payment, of any merchant. */
export const tellTransaction: ControlCall = async (
  _request,
  { service, merchantNames, log, testPayments, realClock },
  { id },
) => {
  const transaction = await service.findByCheckoutRequestId(id);
  if (!transaction) throw new Refusal("not_found", "there is no payment with this checkout request id");
  const business = await merchantNames.of(transaction.merchantId);
  const deliveries = await service.deliveries.list({ transactionId: transaction.id, limit: 100 });
  const decision = decidedBy(transaction);
  const requests = await requestsAbout(id, log.list(), realClock);
  const story: Omit<StoryOnWire, "requests"> = {
    transaction: transactionView(transaction),
    started_by: testPayments.starterOf(id),
    prompt: promptView(transaction, business),
    decided_by: decision && {
      who: decision.who,
      ...(decision.rule !== null && { rule: decision.rule }),
      outcome: decision.outcome,
      at_ms: decision.atMs,
      in_words: decision.inWords,
    },
    requests_left_out: requests.leftOut,
    result: resultView(transaction),
    webhooks: deliveries.map(deliveryView),
    sms: transaction.status === "completed" ? receiptSms(transaction, business) : null,
  };
  return succeedWithList(`the payment is ${transaction.status}`, story, "requests", requests.texts);
};

function resultView(transaction: Transaction) {
  if (transaction.status === "pending") return null;
  const { resultCode, resultDesc } = transaction;
  // All codes come from this table.
  return { code: resultCode, description: resultDesc, ...RESULT_ADVICE[resultCode as ResultCode] };
}

/**
 * The requests of one payment: its start and its polls, each with the time since the previous one. If they are too long for one
 * answer, the first and the last.
 * @param log oldest first
 * @returns each as JSON, and how many are left out
 */
async function requestsAbout(checkoutRequestId: string, log: readonly LoggedRequest[], realClock: Clock) {
  const requests = log.filter((request) => concerns(request, checkoutRequestId));
  const numbered = requests.map((request, index) => ({ request, before: requests[index - 1] }));
  const [first, ...polls] = numbered;
  const write = ({ request, before }: (typeof numbered)[number]): string => {
    const view: StoryRequest = { ...requestView(request), interval_ms: before ? request.atMs - before.atMs : null };
    return JSON.stringify(view);
  };
  const order = first ? [first, ...polls.reverse()] : [];
  const [start, ...latest] = await writeTexts(order, realClock, write, MAX_PAGE_BYTES);
  const texts = start === undefined ? [] : [start, ...latest.reverse()];
  return { texts, leftOut: requests.length - texts.length };
}

function concerns({ target, body, cutId, answer }: LoggedRequest, checkoutRequestId: string): boolean {
  const [path = ""] = target.split("?", 1);
  // The answer of the start has the id, also if it was lost; a poll has it in its body.
  if (path.endsWith("/stkpush.php")) return answer?.includes(`"${checkoutRequestId}"`) ?? false;
  // Without quotes: a form has none, and the lenient mode accepts spaces around the id.
  return path.endsWith("/status.php") && (cutId === checkoutRequestId || (body?.includes(checkoutRequestId) ?? false));
}
