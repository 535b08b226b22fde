import type { Transaction } from "../domain/transaction.ts";
import {
  appliedFilters,
  checkStatusSchema,
  type FilterName,
  hasWrittenId,
  type ListInput,
  listTransactionsSchema,
  orderOf,
  selectionOf,
  startPaymentSchema,
} from "./input.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { type Reply, succeed } from "./reply.ts";
import { readParameters, targetOf } from "./request.ts";
import { listMessage, listView, STARTED, startedView, statusView } from "./view.ts";

/** A note to the provider, which the service does not read. */
const INSTRUCTION_HEADER = "X-Sandbox-Outcome";

/** §4.1. */
const stkpush: Operation<typeof startPaymentSchema> = {
  path: "/stkpush.php",
  method: "POST",
  operationId: "startPayment",
  summary: "Start a payment: the customer is asked for a PIN",
  schema: startPaymentSchema,
  async carryOut(input, merchantId, { service, profile, request, exchange }) {
    const transaction = await service.startPayment(merchantId, {
      ...orderOf(input),
      kind: "api",
      instruction: request.headers.get(INSTRUCTION_HEADER),
    });
    exchange.checkoutRequestId = transaction.checkoutRequestId;
    return succeed(STARTED, startedView(transaction, profile));
  },
  refusedBy: (profile, kind) => (kind === "account" ? profile.invalid_account : undefined),
};

/** Clients poll the same payment again and again: its answer is made once for each state of the payment. */
function answerOf(transaction: Transaction, { profile, statusReplies }: OperationContext): Reply {
  const known = statusReplies.get(transaction);
  if (known) return known;
  const reply = succeed(`the payment is ${transaction.status}`, statusView(transaction, profile));
  statusReplies.set(transaction, reply);
  return reply;
}

/** §4.2. */
const status: Operation<typeof checkStatusSchema> = {
  path: "/status.php",
  method: "POST",
  operationId: "checkStatus",
  summary: "The status of a payment",
  schema: checkStatusSchema,
  fits: hasWrittenId,
  carryOut({ checkout_request_id }, merchantId, context) {
    context.exchange.checkoutRequestId = checkout_request_id;
    const found = context.service.checkStatus(merchantId, checkout_request_id);
    return found instanceof Promise ? found.then((later) => answerOf(later, context)) : answerOf(found, context);
  },
  refusedBy: (profile, kind) => (kind === "not_found" ? profile.unknown_id : undefined),
};

/** §4.3. */
const transactions: Operation<typeof listTransactionsSchema> = {
  path: "/transactions.php",
  method: "GET",
  operationId: "listTransactions",
  summary: "The merchant's transactions, newest first",
  schema: listTransactionsSchema,
  async carryOut(input, merchantId, { service, profile, request }) {
    const { filter, page } = selectionOf(input);
    if (profile.bad_filter === "empty" && lacksFilter(input, request)) {
      return succeed(listMessage(NOTHING.summary), listView(NOTHING, input, profile));
    }
    const list = await service.listTransactions(merchantId, filter, page, request.signal);
    return succeed(listMessage(list.summary), listView(list, input, profile));
  },
  refusedBy: ({ bad_filter }, kind) => (kind === "invalid" && typeof bad_filter === "object" ? bad_filter : undefined),
};

const NOTHING = {
  rows: [],
  summary: {
    ...{ totalItems: 0, completedAmountCents: 0, completedCount: 0, pendingCount: 0, failedCount: 0 },
    ...{ cancelledCount: 0, expiredCount: 0 },
  },
};

/** Whether a filter of the query was left out because its value is unknown. An empty one counts as absent. */
function lacksFilter(input: ListInput, request: Request): boolean {
  const sent = readParameters(targetOf(request).query, Object.keys(appliedFilters.shape));
  return Object.entries(sent).some(([name, value]) => value !== "" && input[name as FilterName] === undefined);
}

/** The three operations, each below the base address. */
export const OPERATIONS: readonly Operation[] = [stkpush, status, transactions];
