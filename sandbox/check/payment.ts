import type { Json } from "./bounded.ts";
import {
  type Check,
  type Checking,
  check,
  judge,
  listById,
  listIn,
  type PaymentToMake,
  shown,
  statusAsk,
} from "./facts.ts";
import { requestId } from "./members.ts";
import { type Exchange, NEEDS_PAYMENT, Skip } from "./service.ts";

/** The sentences that need a payment. Each push may reach a phone and cost money: none is ever repeated. */

/** For two minutes, as §4.4 shows. */
const POLLING_MS = 120_000;

/** In more than this, a payment may become final. */
const SOON_MS = 2000;

/** @throws Skip if no payment was asked for */
function paymentOf({ payment }: Checking): PaymentToMake {
  if (payment === null) throw new Skip(NEEDS_PAYMENT);
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
function push(checking: Checking, order: Json, reaches = true): Promise<Exchange> {
  const ask = { path: "/stkpush.php", json: order };
  const [listed] = checking.service.exchanges;
  if (listed?.json?.success !== true) throw new Skip("the list is not answered, so nothing is paid");
  if (!checking.pushed.has(JSON.stringify(order)) && reaches) {
    if (checking.pushesLeft < 1) throw new Skip("it needs one more push: --max-pushes");
    checking.pushesLeft -= 1;
    checking.pushed.add(JSON.stringify(order));
    if (listIn(listed).items.length === 0) checking.service.forgetLists();
  }
  return checking.service.ask(ask);
}

/** The answer to the payment of the check. @throws Skip if it was not accepted */
async function started(checking: Checking): Promise<Exchange & { readonly json: Json }> {
  const exchange = await push(checking, orderOf(paymentOf(checking)));
  const { json } = exchange;
  if (exchange.status !== 200 || json === null || json.success === false)
    throw new Skip(`the payment was answered with ${exchange.status}`);
  return { ...exchange, json };
}

/**
 * Sends the payment of the check with a change. The answer shows something only where the payment itself is accepted.
 * @throws Skip if it was not
 */
export async function pushOther(checking: Checking, change: Json, reaches = true): Promise<Exchange> {
  await started(checking);
  const order = Object.entries({ ...orderOf(paymentOf(checking)), ...change });
  return push(checking, Object.fromEntries(order.filter(([, value]) => value !== undefined)), reaches);
}

/** The status that the payment has in the end. @throws Skip if it is still pending after the polls of §4.4 */
async function final(checking: Checking): Promise<Exchange> {
  const ask = statusAsk((await started(checking)).json);
  let last = await checking.service.ask(ask);
  const { pollPauseMs } = checking.service;
  for (let passedMs = 0; last.json?.status === "pending" && passedMs < POLLING_MS; passedMs += pollPauseMs) {
    if (checking.isFinal === false) break;
    await checking.service.options.sleep(pollPauseMs);
    last = await checking.service.again(ask);
  }
  checking.isFinal = last.json?.status !== "pending";
  if (!checking.isFinal) throw new Skip("the payment is still pending");
  return last;
}

/** A payment that must be refused. */
const refused = (id: string, what: string, change: Json, reaches = true): Check =>
  check(id, "§4.1", `${what} is refused`, async (checking) => {
    const exchange = await pushOther(checking, change, reaches);
    return judge(exchange, exchange.status >= 400, `it was answered with ${exchange.status}`);
  });

/** The status of the payment that the check has started, right after its start. */
export async function firstStatus(checking: Checking): Promise<Exchange> {
  return checking.service.ask(statusAsk((await started(checking)).json));
}

/** An id in the answer to a payment. */
const identifier = (name: string, prefix: string): Check =>
  check(`pay.${name}`, "§4.1", `The answer has \`${name}\`, a string of the shape of §2.2`, async (checking) => {
    const exchange = await started(checking);
    const value = exchange.json[name];
    const [, fits] = requestId(prefix);
    return judge(exchange, fits(value), `it is ${shown(value)}`);
  });

export const PAYMENT_CHECKS: readonly Check[] = [
  check("pay.accepted", "§4.1", "A payment is answered with 200 and `success` true", async (checking) => {
    const exchange = await push(checking, orderOf(paymentOf(checking)));
    const isAccepted = exchange.status === 200 && exchange.json?.success === true;
    return judge(exchange, isAccepted, `it was answered with ${exchange.status}`);
  }),
  identifier("checkout_request_id", "ws_CO"),
  identifier("merchant_request_id", "ws_MR"),
  check(
    "pay.transaction_id",
    "§4.1",
    `The answer has \`transaction_id\`, an integer, in its fuller form`,
    async (checking) => {
      const exchange = await started(checking);
      const { transaction_id } = exchange.json;
      if (transaction_id === undefined) throw new Skip("it is not in the shorter form");
      return judge(exchange, Number.isInteger(transaction_id), `it is ${shown(transaction_id)}`);
    },
  ),
  check(
    "pay.pending",
    "§3",
    `An accepted payment is pending, until the provider reports an outcome`,
    async (checking) => {
      const exchange = await firstStatus(checking);
      const { status } = exchange.json ?? {};
      const tookMs = exchange.atMs - (await started(checking)).atMs;
      if (status !== "pending" && tookMs > SOON_MS) throw new Skip("its first status came too late");
      return judge(exchange, status === "pending", `its status is ${shown(status)} right after the start`);
    },
  ),
  check("pay.kept", "§4.2", "The status has the amount of the payment", async (checking) => {
    const exchange = await firstStatus(checking);
    const { amount } = exchange.json ?? {};
    return judge(exchange, amount === paymentOf(checking).amount, `the amount is ${shown(amount)}`);
  }),
  check(
    "pay.listed",
    "§2.2",
    `A payment creates a transaction, which the list has with the same id`,
    async (checking) => {
      const { transaction_id } = (await started(checking)).json;
      if (transaction_id === undefined) throw new Skip("the shorter form of the answer has no transaction_id");
      const { exchange, items } = await listById(checking.service, transaction_id);
      return judge(exchange, items[0]?.id === transaction_id, "it is not in the list");
    },
  ),
  check("pay.final", "§4.4", "A payment becomes final", async (checking) => {
    const exchange = await final(checking);
    const { status } = exchange.json ?? {};
    const isFinal = ["completed", "failed", "cancelled", "expired"].includes(String(status));
    return judge(exchange, isFinal, `its status is ${shown(status)}`);
  }),
  refused("pay.no-phone", "A payment without `phone`", { phone: undefined }, false),
  refused("pay.no-amount", "A payment without `amount`", { amount: undefined }),
  refused("pay.no-account", "A payment without `payment_account_id`", { payment_account_id: undefined }),
  refused("pay.minimum", "An amount below KES 1", { amount: 0 }),
  refused("pay.amount-type", "An amount that is not a number", { amount: true }),
];

/** What was pushed, for the one who paid: also where the check could not go on. */
export const pushNotes = ({ service, pushed }: Checking): string[] =>
  [...pushed].flatMap((order) => {
    const exchange = service.exchanges.find(({ sent }) => sent.body === order);
    if (!exchange) return ["a payment was pushed, and no answer came: look it up before you pay again"];
    if (exchange.status >= 400 && exchange.json?.success !== true) return [];
    const { checkout_request_id: id, transaction_id } = exchange.json ?? {};
    if (id === undefined && transaction_id === undefined) return ["a payment was pushed, and its answer has no id"];
    return [`a payment was pushed: checkout_request_id ${shown(id)}, transaction_id ${shown(transaction_id)}`];
  });

/** Whether a final payment stays final. */
export async function afterFinal(checking: Checking): Promise<{ first: Exchange; then: Exchange }> {
  const first = await final(checking);
  const then = await checking.service.again(statusAsk((await started(checking)).json));
  return { first, then };
}
