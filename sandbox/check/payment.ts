import type { Json } from "./bounded.ts";
import {
  type Check,
  type CheckRun,
  check,
  expectMember,
  listById,
  listIn,
  okIf,
  type PaymentToMake,
  received,
  shapeCheck,
  statusAsk,
} from "./check-run.ts";
import type { Note } from "./fact.ts";
import { requestId } from "./members.ts";
import { type Exchange, Skip } from "./service.ts";

/** The sentences that need a payment. Each push may reach a phone and cost money: none is ever repeated. */

/** For two minutes, as §4.4 shows. */
const POLLING_MS = 120_000;

/** In more than this, a payment may become final. */
const SOON_MS = 2000;

/** @throws Skip if no payment was asked for */
function paymentOf({ payment }: CheckRun): PaymentToMake {
  if (payment === null) throw new Skip({ kind: "needs_payment" });
  return payment;
}

const orderOf = ({ phone, amount, accountId }: PaymentToMake): Json => ({
  payment_account_id: accountId,
  phone,
  amount,
});

/**
 * Sends a push, the same only once.
 * @param reaches whether it can reach the phone
 * @throws Skip if no more pushes are allowed
 */
function push(checkRun: CheckRun, order: Json, reaches = true): Promise<Exchange> {
  const ask = { path: "/stkpush.php", json: order };
  const [listed] = checkRun.service.exchanges;
  if (listed?.json?.success !== true) throw new Skip({ kind: "list_refused" });
  if (!checkRun.pushed.has(JSON.stringify(order)) && reaches) {
    if (checkRun.pushesLeft < 1) throw new Skip({ kind: "needs_push" });
    checkRun.pushesLeft -= 1;
    checkRun.pushed.add(JSON.stringify(order));
    if (listIn(listed).items.length === 0) checkRun.service.forgetLists();
  }
  return checkRun.service.ask(ask);
}

/** The answer to the payment of the check. @throws Skip if it was not accepted */
async function started(checkRun: CheckRun): Promise<Exchange & { readonly json: Json }> {
  const exchange = await push(checkRun, orderOf(paymentOf(checkRun)));
  const { json } = exchange;
  if (exchange.status !== 200 || json === null || json.success === false)
    throw new Skip({ kind: "payment_refused", status: exchange.status });
  return { ...exchange, json };
}

/**
 * Sends the payment of the check with a change. The answer shows something only where the payment itself is accepted.
 * @throws Skip if it was not
 */
export async function pushOther(checkRun: CheckRun, change: Json, reaches = true): Promise<Exchange> {
  await started(checkRun);
  const order = Object.entries({ ...orderOf(paymentOf(checkRun)), ...change });
  return push(checkRun, Object.fromEntries(order.filter(([, value]) => value !== undefined)), reaches);
}

/** The status that the payment has in the end. @throws Skip if it is still pending after the polls of §4.4 */
async function final(checkRun: CheckRun): Promise<Exchange> {
  const ask = statusAsk((await started(checkRun)).json);
  let last = await checkRun.service.ask(ask);
  const { pollPauseMs } = checkRun.service;
  for (let passedMs = 0; last.json?.status === "pending" && passedMs < POLLING_MS; passedMs += pollPauseMs) {
    if (checkRun.isFinal === false) break;
    await checkRun.service.options.sleep(pollPauseMs);
    last = await checkRun.service.again(ask);
  }
  checkRun.isFinal = last.json?.status !== "pending";
  if (!checkRun.isFinal) throw new Skip({ kind: "still_pending" });
  return last;
}

/** A payment that must be refused. */
const refused = (id: string, what: string, change: Json, reaches = true): Check =>
  check(id, "§4.1", `${what} is refused`, async (checkRun) => {
    const exchange = await pushOther(checkRun, change, reaches);
    return okIf(exchange.status >= 400, exchange, { kind: "answered", status: exchange.status });
  });

/** The status of the payment that the check has started, right after its start. */
export async function firstStatus(checkRun: CheckRun): Promise<Exchange> {
  return checkRun.service.ask(statusAsk((await started(checkRun)).json));
}

/** An id in the answer to a payment. */
const identifier = (name: string, prefix: string): Check =>
  shapeCheck(`pay.${name}`, "§4.1", `The answer has \`${name}\`, a string of the shape of §2.2`, async (checkRun) => {
    const exchange = await started(checkRun);
    const value = exchange.json[name];
    const fits = requestId(prefix).safeParse(value).success;
    return expectMember(exchange, name, value, fits);
  });

export const PAYMENT_CHECKS: readonly Check[] = [
  check("pay.accepted", "§4.1", "A payment is answered with 200 and `success` true", async (checkRun) => {
    const exchange = await push(checkRun, orderOf(paymentOf(checkRun)));
    const isAccepted = exchange.status === 200 && exchange.json?.success === true;
    return okIf(isAccepted, exchange, { kind: "answered", status: exchange.status });
  }),
  identifier("checkout_request_id", "ws_CO"),
  identifier("merchant_request_id", "ws_MR"),
  shapeCheck(
    "pay.transaction_id",
    "§4.1",
    `The answer has \`transaction_id\`, an integer, in its fuller form`,
    async (checkRun) => {
      const exchange = await started(checkRun);
      const { transaction_id } = exchange.json;
      if (transaction_id === undefined) throw new Skip({ kind: "short_form" });
      const isInteger = Number.isInteger(transaction_id);
      return expectMember(exchange, "transaction_id", transaction_id, isInteger);
    },
  ),
  check(
    "pay.pending",
    "§3",
    `An accepted payment is pending, until the provider reports an outcome`,
    async (checkRun) => {
      const exchange = await firstStatus(checkRun);
      const { status } = exchange.json ?? {};
      const tookMs = exchange.atMs - (await started(checkRun)).atMs;
      if (status !== "pending" && tookMs > SOON_MS) throw new Skip({ kind: "too_late" });
      return expectMember(exchange, "status", status, status === "pending");
    },
  ),
  check("pay.kept", "§4.2", "The status has the amount of the payment", async (checkRun) => {
    const exchange = await firstStatus(checkRun);
    const { amount } = exchange.json ?? {};
    const isKept = amount === paymentOf(checkRun).amount;
    return expectMember(exchange, "amount", amount, isKept);
  }),
  check(
    "pay.listed",
    "§2.2",
    `A payment creates a transaction, which the list has with the same id`,
    async (checkRun) => {
      const { transaction_id } = (await started(checkRun)).json;
      if (transaction_id === undefined) throw new Skip({ kind: "short_form" });
      const { exchange, items } = await listById(checkRun.service, transaction_id);
      return okIf(items[0]?.id === transaction_id, exchange, {
        kind: "lost_row",
        transaction: received(transaction_id),
      });
    },
  ),
  check("pay.final", "§4.4", "A payment becomes final", async (checkRun) => {
    const exchange = await final(checkRun);
    const { status } = exchange.json ?? {};
    const isKnown = ["completed", "failed", "cancelled", "expired"].includes(String(status));
    return expectMember(exchange, "status", status, isKnown);
  }),
  refused("pay.no-phone", "A payment without `phone`", { phone: undefined }, false),
  refused("pay.no-amount", "A payment without `amount`", { amount: undefined }),
  refused("pay.no-account", "A payment without `payment_account_id`", { payment_account_id: undefined }),
  refused("pay.minimum", "An amount below KES 1", { amount: 0 }),
  refused("pay.amount-type", "An amount that is not a number", { amount: true }),
];

/** What was pushed, for the one who paid: also where the check could not go on. */
export const pushNotes = ({ service, pushed }: CheckRun): Note[] =>
  [...pushed].flatMap((order): Note[] => {
    const exchange = service.exchanges.find(({ sent }) => sent.body === order);
    if (!exchange) return [{ kind: "pushed_unanswered" }];
    if (exchange.status >= 400 && exchange.json?.success !== true) return [];
    const { checkout_request_id: id, transaction_id } = exchange.json ?? {};
    if (id === undefined && transaction_id === undefined) return [{ kind: "pushed_without_id" }];
    return [{ kind: "pushed", checkoutRequestId: received(id), transaction: received(transaction_id) }];
  });

/** Whether a final payment stays final. */
export async function afterFinal(checkRun: CheckRun): Promise<{ first: Exchange; then: Exchange }> {
  const first = await final(checkRun);
  const then = await checkRun.service.again(statusAsk((await started(checkRun)).json));
  return { first, then };
}
