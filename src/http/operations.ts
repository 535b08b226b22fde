import type { z } from "zod";
import type { RefusalKind } from "../domain/error.ts";
import { FILTER_NAMES } from "../domain/filters.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Service } from "../service/service.ts";
import type { DescribedCall } from "./description.ts";
import {
  checkStatusSchema,
  type ListInput,
  listTransactionsSchema,
  orderOf,
  selectionOf,
  startPaymentSchema,
} from "./input.ts";
import type { OPERATION_PATHS } from "./paths.ts";
import type { Profile, RefusalAnswer } from "./profile.ts";
import { type Reply, succeed } from "./reply.ts";
import { type Exchange, headerText, readParameters, targetOf } from "./request.ts";
import { listMessage, listView, STARTED, startedView, statusView } from "./view.ts";

/** What an operation gets besides its input. */
export interface OperationContext {
  readonly service: Service;
  readonly profile: Profile;
  /** The answers to `/status.php`, as long as their transactions are in memory. */
  readonly statusReplies: WeakMap<Transaction, Reply>;
  /** For its headers, and to know when its client has gone. */
  readonly request: Request;
  /** Where it says which payment it was about. */
  readonly exchange: Exchange;
}

/** One of the three operations (§4). */
export interface Operation<Schema extends z.ZodObject = z.ZodObject>
  extends Pick<Required<DescribedCall>, "operationId" | "summary"> {
  readonly path: (typeof OPERATION_PATHS)[number];
  readonly method: "GET" | "POST";
  /** The members of its body; with the method GET, the parameters of its query. */
  readonly schema: Schema;
  carryOut(input: z.output<Schema>, merchantId: number, context: OperationContext): Reply | Promise<Reply>;
  /** The answer that a profile has for a refusal of this kind, instead of momo's own. */
  readonly refusedBy: (profile: Profile, kind: RefusalKind) => RefusalAnswer | undefined;
}

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
    const instruction = request.headers.get(INSTRUCTION_HEADER);
    const transaction = await service.startPayment(merchantId, {
      ...orderOf(input),
      kind: "api",
      instruction: instruction && headerText(instruction),
    });
    exchange.checkoutRequestId = transaction.checkoutRequestId;
    return succeed(STARTED, startedView(transaction, profile));
  },
  refusedBy: (profile, kind) => (kind === "account" ? profile.invalid_account : undefined),
};

/** Clients poll the same payment again and again: its answer is made once for each state of the payment, which saves 16 % of a poll. */
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
    const { filter, page } = selectionOf(input, profile);
    if (profile.bad_filter === "empty" && lacksFilter(input, request)) {
      return succeed(listMessage(NOTHING.summary), listView(NOTHING, input, profile));
    }
    const list = await service.listTransactions(merchantId, filter, page, request.signal);
    return succeed(listMessage(list.summary), listView(list, input, profile));
  },
  refusedBy: ({ bad_filter }, kind) => (kind === "invalid" && typeof bad_filter === "object" ? bad_filter : undefined),
};

export const NOTHING = {
  rows: [],
  summary: {
    totalItems: 0,
    completedAmountCents: 0,
    completedCount: 0,
    pendingCount: 0,
    failedCount: 0,
    cancelledCount: 0,
    expiredCount: 0,
  },
};

/** Whether a filter of the query was left out because its value is unknown. An empty one counts as absent. */
function lacksFilter(input: ListInput, request: Request): boolean {
  const sent = readParameters(targetOf(request).query, FILTER_NAMES);
  return FILTER_NAMES.some((name) => (sent[name] ?? "") !== "" && input[name] === undefined);
}

/** The three operations, each below the base address. */
export const OPERATIONS: readonly Operation[] = [stkpush, status, transactions];
