import type { CompletedTransaction, PendingTransaction, TransactionFacts } from "../domain/transaction.ts";
import { INVALID_CREDENTIALS } from "../service/authenticate.ts";
import { orderOf } from "./input.ts";
import type { Profile } from "./profile.ts";
import { listMessage, listView, STARTED, startedView, statusView } from "./view.ts";

/** The examples of the OpenAPI description: one payment, from its start to the list. */

const CREATED_AT_MS = Date.UTC(2026, 10, 20, 7, 0, 0);

/** The body of each operation, or the parameters of its query. */
export const REQUEST_EXAMPLES = {
  "/stkpush.php": {
    payment_account_id: 1,
    phone: "0712345678",
    amount: 19.99,
    reference: "ORDER-0001",
    description: "Two coffees",
  },
  "/status.php": { checkout_request_id: "ws_CO_20112026100000_4H7ZQ2M9XKTA0B5FDGN1" },
  "/transactions.php": {
    page: 1,
    limit: 10,
    type: "api",
    status: "completed",
    date_from: "2026-11-01",
    date_to: "2026-11-30",
    search: "0712",
    id: 1,
  },
} as const;

const facts: TransactionFacts = {
  ...orderOf(REQUEST_EXAMPLES["/stkpush.php"]),
  id: 1,
  merchantId: 1,
  kind: "api",
  feeCents: 20,
  checkoutRequestId: REQUEST_EXAMPLES["/status.php"].checkout_request_id,
  merchantRequestId: "ws_MR_20112026100000_8PWC3E6RVJ0N7S2YTM4K",
  createdAtMs: CREATED_AT_MS,
  expiresAtMs: CREATED_AT_MS + 60_000,
};
const pending: PendingTransaction = { ...facts, status: "pending", checkAtMs: CREATED_AT_MS + 3000, memo: "" };
const completed: CompletedTransaction = {
  ...facts,
  status: "completed",
  transactionCode: "T00000000001",
  receiptNumber: "UKK001DAN1",
  resultCode: 0,
  resultDesc: "The service request is processed successfully.",
  completedAtMs: CREATED_AT_MS + 3000,
  memo: "",
};
const summary = {
  totalItems: 1,
  completedAmountCents: completed.amountCents,
  completedCount: 1,
  pendingCount: 0,
  failedCount: 0,
  cancelledCount: 0,
  expiredCount: 0,
};
const input = { page: 1, limit: 10, type: "api", status: "completed", search: "0712" } as const;

/** The answer of each operation with 200. */
export function answerExamples(profile: Profile): Record<keyof typeof REQUEST_EXAMPLES, object> {
  return {
    "/stkpush.php": success(STARTED, startedView(pending, profile)),
    "/status.php": success("the payment is completed", statusView(completed, profile)),
    "/transactions.php": success(listMessage(summary), listView({ rows: [completed], summary }, input, profile)),
  };
}

const success = (message: string, members: object) => ({ success: true, message, ...members });

/** An example of the message for each status with which an operation fails. */
export const FAILURE_EXAMPLES: Record<keyof typeof REQUEST_EXAMPLES, Readonly<Record<number, string>>> = {
  "/stkpush.php": failing("POST", {
    400:
      "payment_account_id must be a whole number, the id of a payment account of yours; " +
      'it is a string, "1"; amount is missing: it must be a number from 1 to 999999999.99 with at most two decimals',
    500: "STK push initiation failed: the network does not take the prompt",
  }),
  "/status.php": failing("POST", {
    400: "checkout_request_id is missing: it must be a string of 1 to 100 characters",
    404: "checkout_request_id is not that of a payment of yours",
  }),
  "/transactions.php": failing("GET", {
    400: 'limit must be a whole number from 1 to 100; it is "500"',
    404: "there is no transaction of yours with this id and these filters",
  }),
};

function failing(method: string, own: Readonly<Record<number, string>>) {
  const all = { 401: INVALID_CREDENTIALS, 405: `this operation takes ${method} only`, 500: "internal server error" };
  return { ...all, ...own };
}
