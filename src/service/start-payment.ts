import type { Clock } from "../domain/clock.ts";
import { Refusal, whatCame } from "../domain/error.ts";
import { feeCents } from "../domain/money.ts";
import type { Provider } from "../domain/provider.ts";
import type { Random } from "../domain/random.ts";
import { open } from "../domain/state-machine.ts";
import type { Order, PendingTransaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";

export interface PaymentOrder extends Order {
  /** A note to the provider, which the service does not read. */
  readonly instruction: string | null;
}

interface Parts {
  readonly store: Pick<Store, "merchants" | "transactions">;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly draws: Random;
  readonly promptTimeoutMs: number;
}

/**
 * Pushes a prompt to the network, and stores the transaction (§3: none → pending). It is on disk when this returns.
 * @throws Refusal `account` if the account is not the merchant's; `provider` if the network does not accept the prompt. Then
 * nothing is stored.
 * @param requireUnchanged throws if the payment must not be stored any more
 */
export async function startPayment(
  { store, provider, clock, draws, promptTimeoutMs }: Parts,
  merchantId: number,
  order: PaymentOrder,
  requireUnchanged: () => void,
): Promise<PendingTransaction> {
  const { kind, phone, amountCents, reference, description } = order;
  const account = await store.merchants.findPaymentAccount(order.paymentAccountId);
  if (account?.merchantId !== merchantId) {
    throw await notYours(store, merchantId, order.paymentAccountId);
  }

  const nowMs = clock.nowMs();
  const expiresAtMs = nowMs + promptTimeoutMs;
  const identifiers = await store.transactions.identify(nowMs, draws);
  const { checkoutRequestId, merchantRequestId } = identifiers;
  const prompt = { ...order, checkoutRequestId, merchantRequestId, pushedAtMs: nowMs, expiresAtMs };
  const pushed = await provider.push(prompt);
  const transaction = open(
    {
      ...identifiers,
      merchantId,
      paymentAccountId: account.id,
      kind,
      phone,
      amountCents,
      reference,
      description,
      feeCents: feeCents(account.tariff, amountCents),
      createdAtMs: nowMs,
      expiresAtMs,
    },
    pushed.memo,
    pushed.checkAtMs,
  );
  requireUnchanged();
  await store.transactions.insert(transaction);
  return transaction;
}

/** The same for an account that does not exist and for another merchant's. */
async function notYours({ merchants }: Pick<Store, "merchants">, merchantId: number, id: number): Promise<Refusal> {
  const own = (await merchants.listPaymentAccounts(merchantId)).map((account) => account.id);
  const shown = own.length > MAX_NAMED ? [...own.slice(0, MAX_NAMED), "…"] : own;
  const yours = own.length === 0 ? "you have none" : `yours are ${shown.join(", ")}`;
  return new Refusal(
    "account",
    `payment_account_id is not the id of a payment account of yours${whatCame(id)}, and ${yours}. momo accounts create --name NAME --id ID opens one`,
  );
}

const MAX_NAMED = 5;
