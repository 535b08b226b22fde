import { type Check, type Checking, isObject, type Json, list, listIn, type Payment, type Seen } from "./facts.ts";
import { type Exchange, NEEDS_PAYMENT, Skip } from "./service.ts";

/** The sentences that need a payment. Each push may reach a phone and cost money: none is ever repeated. */

/** For two minutes, as §4.4 shows. */
const POLLING_MS = 120_000;

/** @throws Skip if no payment was asked for */
export function paymentOf({ payment }: Checking): Payment {
  if (payment === null) throw new Skip(NEEDS_PAYMENT);
  return payment;
}

export const orderOf = ({ phone, amount, accountId }: Payment): Json => ({
  payment_account_id: accountId,
  phone,
  amount,
});

/**
 * Sends a push, the same only once.
 * @param reaches whether it can reach the phone
 * @throws Skip if no more pushes are allowed
 */
export function push(checking: Checking, order: Json, reaches = true): Promise<Exchange> {
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
export async function started(checking: Checking): Promise<Exchange & { readonly json: Json }> {
  const exchange = await push(checking, orderOf(paymentOf(checking)));
  const { json } = exchange;
  if (exchange.status !== 200 || json === null) throw new Skip(`the payment was answered with ${exchange.status}`);
  return { ...exchange, json };
}

const idOf = ({ json }: { readonly json: Json }): string => {
  if (typeof json.checkout_request_id !== "string") throw new Skip("the payment has no checkout_request_id");
  return json.checkout_request_id;
};

/** The status that the payment has in the end. @throws Skip if it is still pending after the polls of §4.4 */
async function final(checking: Checking): Promise<Exchange> {
  const ask = { path: "/status.php", json: { checkout_request_id: idOf(await started(checking)) } };
  let last = await checking.service.ask(ask);
  const { pollPauseMs } = checking.service;
  for (let passedMs = 0; last.json?.status === "pending" && passedMs < POLLING_MS; passedMs += pollPauseMs) {
    if (checking.isFinal === false) break;
    await checking.service.wait(pollPauseMs);
    last = await checking.service.again(ask);
  }
  checking.isFinal = last.json?.status !== "pending";
  if (!checking.isFinal) throw new Skip("the payment is still pending");
  return last;
}

const check = (id: string, section: string, sentence: string, look: Check["look"]): Check => ({
  id,
  section,
  sentence,
  look,
});

const held = (exchange: Exchange, wrong: string | null): Seen => ({ exchange, wrong });

/** A payment that must be refused. */
const refused = (id: string, sentence: string, change: Json, reaches = true): Check =>
  check(id, "§4.1", sentence, async (checking) => {
    const order = { ...orderOf(paymentOf(checking)), ...change };
    const sent = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
    const exchange = await push(checking, sent, reaches);
    return held(exchange, exchange.status >= 400 ? null : `it was answered with ${exchange.status}`);
  });

export const PAYMENT_CHECKS: readonly Check[] = [
  check("pay.accepted", "§4.1", "A payment is answered with 200 and `success` true", async (checking) => {
    const exchange = await push(checking, orderOf(paymentOf(checking)));
    const isAccepted = exchange.status === 200 && exchange.json?.success === true;
    return held(exchange, isAccepted ? null : `it was answered with ${exchange.status}`);
  }),
  ...[
    { name: "checkout_request_id", shape: /^ws_CO_[^_]+_.+$/ },
    { name: "merchant_request_id", shape: /^ws_MR_[^_]+_.+$/ },
  ].map(({ name, shape }) =>
    check(`pay.${name}`, "§4.1", `The answer has \`${name}\`, a string of the shape of §2.2`, async (checking) => {
      const exchange = await started(checking);
      const value = exchange.json[name];
      return held(exchange, typeof value === "string" && shape.test(value) ? null : `it is ${JSON.stringify(value)}`);
    }),
  ),
  check(
    "pay.transaction_id",
    "§4.1",
    "The answer has `transaction_id`, an integer, in its fuller form",
    async (checking) => {
      const exchange = await started(checking);
      const { transaction_id } = exchange.json;
      if (transaction_id === undefined) throw new Skip("it is not in the shorter form");
      return held(exchange, Number.isInteger(transaction_id) ? null : `it is ${JSON.stringify(transaction_id)}`);
    },
  ),
  check(
    "pay.pending",
    "§3",
    "An accepted payment is pending, until the provider reports an outcome",
    async (checking) => {
      const exchange = await checking.service.ask({
        path: "/status.php",
        json: { checkout_request_id: idOf(await started(checking)) },
      });
      const { status } = exchange.json ?? {};
      return held(
        exchange,
        status === "pending" ? null : `its status is ${JSON.stringify(status)} right after the start`,
      );
    },
  ),
  check("pay.kept", "§4.2", "The status has the amount of the payment", async (checking) => {
    const exchange = await checking.service.ask({
      path: "/status.php",
      json: { checkout_request_id: idOf(await started(checking)) },
    });
    const { amount } = exchange.json ?? {};
    return held(exchange, amount === paymentOf(checking).amount ? null : `the amount is ${JSON.stringify(amount)}`);
  }),
  check(
    "pay.listed",
    "§2.2",
    "A payment creates a transaction, which the list has with the same id",
    async (checking) => {
      const { transaction_id } = (await started(checking)).json;
      if (transaction_id === undefined) throw new Skip("the shorter form of the answer has no transaction_id");
      const { exchange, items } = await list(checking.service, `?id=${transaction_id}`);
      return held(exchange, isObject(items[0]) && items[0].id === transaction_id ? null : "it is not in the list");
    },
  ),
  check("pay.final", "§4.4", "A payment becomes final", async (checking) => {
    const exchange = await final(checking);
    const { status } = exchange.json ?? {};
    const isFinal = ["completed", "failed", "cancelled", "expired"].includes(String(status));
    return held(exchange, isFinal ? null : `its status is ${JSON.stringify(status)}`);
  }),
  refused("pay.no-phone", "A payment without `phone` is refused", { phone: undefined }, false),
  refused("pay.no-amount", "A payment without `amount` is refused", { amount: undefined }),
  refused("pay.no-account", "A payment without `payment_account_id` is refused", { payment_account_id: undefined }),
  refused("pay.minimum", "An amount below KES 1 is refused", { amount: 0 }),
  refused("pay.amount-type", "An amount that is no number is refused", { amount: true }),
];

/** Whether a final payment stays final. */
export async function afterFinal(checking: Checking): Promise<{ first: Exchange; then: Exchange }> {
  const first = await final(checking);
  const then = await checking.service.again({
    path: "/status.php",
    json: { checkout_request_id: idOf(await started(checking)) },
  });
  return { first, then };
}
