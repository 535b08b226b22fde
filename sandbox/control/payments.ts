import { z } from "zod";
import type { Clock } from "../../src/domain/clock.ts";
import { Refusal, readNaming, shown } from "../../src/domain/error.ts";
import { findResult } from "../../src/domain/outcome.ts";
import { KINDS, type Transaction } from "../../src/domain/transaction.ts";
import { started } from "../../src/http/answers.ts";
import { listTransactionsSchema, orderOf, selectionOf, startPaymentSchema } from "../../src/http/input.ts";
import { succeed, succeedWithList } from "../../src/http/reply.ts";
import { listMessage, listView, STARTED, startedView, summaryView } from "../../src/http/view.ts";
import type { Service } from "../../src/service/service.ts";
import { parseChoice } from "../network/choice.ts";
import { decidedBy } from "../network/decided-by.ts";
import type { LoggedRequest } from "../request-log.ts";
import { type Calls, type ControlContext, call } from "./context.ts";
import { bodyOf, endsQuery, withEnds } from "./input.ts";
import { MAX_PAGE_BYTES, writeTexts } from "./paging.ts";
import { merchantOf, merchantQuery } from "./registry.ts";
import * as shapes from "./shapes/payments.ts";
import { deliveryView, promptView, requestView, smsOf, transactionView } from "./views.ts";
import { noSuchPayment } from "./waiting-room.ts";

const testPayment = z.object({
  ...startPaymentSchema.shape,
  kind: z.enum(KINDS),
  outcome: z.string({ error: "must be a string, NAME or NAME; after=DURATION" }).optional(),
});

const paymentBody = bodyOf(testPayment, { payment_account_id: 1, phone: "0712345678", amount: 100, kind: "web" });

/** How the path names a payment. */
const NAMED_BY = ["checkout_request_id", "reference", "number"] as const;
type NamedBy = (typeof NAMED_BY)[number];

const storyQuery = z.object({
  by: z.enum(NAMED_BY).default("checkout_request_id").describe("what the path has instead of the checkout request id"),
});

type Finder = (service: Service, text: string) => Transaction | null | Promise<Transaction | null>;

/** Of any merchant; of several payments with one reference, the newest. */
const FINDERS: Readonly<Record<NamedBy, Finder>> = {
  checkout_request_id: (service, text) => service.findByCheckoutRequestId(text),
  reference: (service, text) => service.findByReference(text),
  number: findByNumber,
};

async function findByNumber(service: Service, text: string): Promise<Transaction | null> {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) return null;
  const page = { number: 1, limit: 1 };
  for (const { id } of await service.registry.listMerchants()) {
    try {
      const { rows } = await service.listTransactions(id, { id: Number(text) }, page);
      if (rows[0]) return rows[0];
    } catch (error) {
      if (!(error instanceof Refusal && error.kind === "not_found")) throw error;
    }
  }
  return null;
}

async function noPaymentWith(by: NamedBy, text: string, service: Service): Promise<Refusal> {
  const longer = by === "reference" ? await referencesThatBegin(text, service) : [];
  const others = longer.length === 0 ? "" : `; there is one with ${longer.map((one) => shown(one)).join(", ")}`;
  return new Refusal("not_found", `there is no payment with this ${by}${others}`);
}

/** Some clients add something to the order's number. */
async function referencesThatBegin(start: string, { registry, listTransactions }: Service): Promise<string[]> {
  const { id } = await registry.firstMerchant();
  const { rows } = await listTransactions(id, { search: start }, { number: 1, limit: 20 });
  const references = rows.flatMap(({ reference }) => (reference?.startsWith(start) ? [reference] : []));
  return [...new Set(references)].slice(0, 3);
}

/** The newest of the other payments with the reference of this one; an empty text if there is none. */
async function olderWith({ id, merchantId, reference }: Transaction, service: Service): Promise<string> {
  if (reference === null) return "";
  const { rows } = await service.listTransactions(merchantId, { search: reference }, { number: 1, limit: 100 });
  const older = rows.filter((row) => row.reference === reference && row.id !== id).slice(0, 3);
  const named = older.map(({ status, checkoutRequestId }) => `${checkoutRequestId} is ${status}`);
  return older.length === 0 ? "" : `; older with this reference: ${named.join(", ")}`;
}

/** Payments of all merchants: the list, the story of each, and test payments. */
export const PAYMENT_CALLS: Calls = {
  "/transactions": {
    /**
     * The answer of `GET /transactions.php` (§4.3) for the merchant of `?merchant_id=` or `?api_key=`, by default the first, with
     * the same parameters. It adds each reference, the time, and the counts of all statuses, also with a `status` filter.
     */
    GET: call(
      shapes.ownedList,
      { query: listTransactionsSchema.safeExtend({ ...merchantQuery.shape, ...endsQuery }) },
      async (context, { request, query: { merchant_id, api_key, ends, ...input } }) => {
        const { filter: asked, page } = selectionOf(input);
        const filter = withEnds(asked, ends);
        const { id } = await merchantOf(context, { merchant_id, api_key });
        const { service } = context;
        const list = await service.listTransactions(id, filter, page, request.signal);
        const ofEveryStatus = { ...filter, status: undefined };
        const { summary } =
          filter.status === undefined
            ? list
            : await service.listTransactions(id, ofEveryStatus, { number: 1, limit: 1 }, request.signal);
        return succeed(listMessage(list.summary), {
          ...listView(list, input, {}),
          transactions: list.rows.map(transactionView),
          now_ms: context.clock.nowMs(),
          every_status: {
            ...summaryView(summary),
            cancelled_count: summary.cancelledCount,
            expired_count: summary.expiredCount,
          } satisfies shapes.CountsOnWire,
        });
      },
    ),
  },
  "/transactions/CHECKOUT_REQUEST_ID": {
    GET: call(shapes.story, { query: storyQuery }, async (context, { id, query: { by } }) => {
      const transaction = await FINDERS[by](context.service, id);
      if (!transaction) {
        throw by === "checkout_request_id" ? noSuchPayment() : await noPaymentWith(by, id, context.service);
      }
      const { checkoutRequestId } = transaction;
      const { texts, leftOut } = await requestsAbout(checkoutRequestId, context.log.list(), context.realClock);
      const story = await storyOf(transaction, leftOut, context);
      const others = by === "reference" ? await olderWith(transaction, context.service) : "";
      return succeedWithList(`the payment is ${transaction.status}${others}`, story, "requests", texts);
    }),
  },
  "/payments": {
    /** The merchant API makes only the kind `api`; the others come from a payment page, a deposit or a top-up. */
    POST: call(started.full, { body: paymentBody }, async ({ service, testPayments }, { request, body }) => {
      if (body.outcome !== undefined) readNaming(body.outcome, (text) => parseChoice(text, "outcome"));
      const owner = await service.registry.ownerOfAccount(body.payment_account_id);
      const order = { ...orderOf(body), kind: body.kind, instruction: body.outcome ?? null };
      const transaction = await service.startPayment(owner, order);
      // Only the console's page is of the same origin as the control API.
      const isByPage = request.headers.get("Sec-Fetch-Site") === "same-origin";
      testPayments.note(transaction.checkoutRequestId, isByPage ? "console" : "control_api");
      return succeed(STARTED, startedView(transaction, {}));
    }),
  },
};

async function storyOf(
  transaction: Transaction,
  leftOut: number,
  { service, testPayments }: ControlContext,
): Promise<Omit<shapes.StoryOnWire, "requests">> {
  const business = await service.registry.nameOf(transaction.merchantId);
  const deliveries = await service.deliveries.list({ transactionId: transaction.id, limit: 100 });
  return {
    transaction: transactionView(transaction),
    payment_account_id: transaction.paymentAccountId,
    started_by: testPayments.starterOf(transaction.checkoutRequestId),
    prompt: promptView(transaction, business),
    decided_by: decidedBy(transaction),
    requests_left_out: leftOut,
    result: resultView(transaction),
    webhooks: deliveries.map(deliveryView),
    sms: smsOf(transaction, business),
  };
}

function resultView(transaction: Transaction) {
  if (transaction.status === "pending") return null;
  const { resultCode, resultDesc } = transaction;
  // An imported payment can have a code of its own.
  const { meaning = resultDesc, advice = "Read the network's own text." } = findResult(resultCode) ?? {};
  return { code: resultCode, description: resultDesc, meaning, advice };
}

/**
 * The requests of one payment: its start and its polls, each with the time since the previous one. If they are too long for one
 * answer, the first and the last.
 * @param log oldest first
 * @returns each as JSON, and how many are left out
 */
async function requestsAbout(checkoutRequestId: string, log: readonly LoggedRequest[], realClock: Clock) {
  const requests = log.filter((request) => request.checkoutRequestId === checkoutRequestId);
  const [first, ...polls] = requests.map((request, index) => {
    const before = requests[index - 1];
    return { request, interval_ms: before ? request.atMs - before.atMs : null };
  });
  const write = ({ request, interval_ms }: NonNullable<typeof first>): string =>
    JSON.stringify({ ...requestView(request), interval_ms } satisfies shapes.StoryRequest);
  const order = first ? [first, ...polls.reverse()] : [];
  const [start, ...latest] = await writeTexts(order, realClock, write, MAX_PAGE_BYTES);
  const texts = start === undefined ? [] : [start, ...latest.reverse()];
  return { texts, leftOut: requests.length - texts.length };
}
