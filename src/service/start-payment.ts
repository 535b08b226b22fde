import type { Clock } from "../domain/clock.ts";
import { Refusal, whatCame } from "../domain/error.ts";
import { feeCents } from "../domain/money.ts";
import { createMutex } from "../domain/mutex.ts";
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
  readonly idRandom: Random;
  readonly promptTimeoutMs: number;
  readonly accountAdvice?: string;
}

/**
 * Pushes a prompt to the network, and stores the transaction (§3: none → pending). It is on disk when this returns.
 * @throws Refusal `account` if the account is not the merchant's; `provider` if the network does not accept the prompt. Then
 * nothing is stored.
 * @param requireCurrent throws if a reset or a restore came since the payment started
 */
export async function startPayment(
  parts: Parts,
  merchantId: number,
  order: PaymentOrder,
  requireCurrent: () => void,
): Promise<PendingTransaction> {
  const { store, provider, clock, idRandom, promptTimeoutMs } = parts;
  const account = await store.merchants.findPaymentAccount(order.paymentAccountId);
  if (account?.merchantId !== merchantId) {
    throw await notYours(parts, merchantId, order.paymentAccountId);
  }

  const nowMs = clock.nowMs();
  const expiresAtMs = nowMs + promptTimeoutMs;
  const identifiers = await store.transactions.identify(nowMs, idRandom);
  const { checkoutRequestId, merchantRequestId } = identifiers;
  const prompt = { ...order, checkoutRequestId, merchantRequestId, pushedAtMs: nowMs, expiresAtMs };
  const pushed = await provider.push(prompt);
  const transaction = open(
    {
      id: identifiers.id,
      checkoutRequestId,
      merchantRequestId,
      merchantId,
      paymentAccountId: account.id,
      kind: order.kind,
      phone: order.phone,
      amountCents: order.amountCents,
      reference: order.reference,
      description: order.description,
      feeCents: feeCents(account.tariff, order.amountCents),
      createdAtMs: nowMs,
      expiresAtMs,
    },
    pushed.memo,
    pushed.checkAtMs,
  );
  requireCurrent();
  await store.transactions.insert(transaction);
  return transaction;
}

/** The same for an account that does not exist and for another merchant's. */
async function notYours({ store, accountAdvice = "" }: Parts, merchantId: number, id: number): Promise<Refusal> {
  const own = (await store.merchants.listPaymentAccounts(merchantId)).map((account) => account.id);
  const shown = own.length > MAX_NAMED ? [...own.slice(0, MAX_NAMED), "…"] : own;
  const yours = own.length === 0 ? "you have none" : `yours are ${shown.join(", ")}`;
  return new Refusal(
    "account",
    `payment_account_id is not the id of a payment account of yours${whatCame(id)}, and ${yours}${accountAdvice}`,
  );
}

const MAX_NAMED = 5;

const LATE = "before the network accepted the prompt: nothing is stored, start the payment again";

/**
 * The payments that are being started. A reset or a restore replaces all payments, sets the clock back, and can begin the numbers again,
 * so a payment that started before its end is not stored after it.
 */
export function createStarts() {
  const mutex = createMutex();
  let replacing = 0;
  /** How often all payments were replaced. */
  let generation = 0;
  let lastReason = "";

  return {
    /** @param start calls its argument immediately before it stores the payment */
    run<T>(start: (requireCurrent: () => void) => Promise<T>): Promise<T> {
      const own = replacing > 0 ? null : generation;
      return start(() => {
        if (own !== generation) throw new Refusal("unavailable", `${lastReason} ${LATE}`);
      });
    },

    /**
     * Runs `work`, which replaces all payments. Payments that have started by its end are refused.
     * @param reason what happened, for the refusal
     */
    async replaceAll<T>(reason: string, work: () => Promise<T>): Promise<T> {
      replacing += 1;
      generation += 1;
      lastReason = reason;
      try {
        return await mutex.run(work);
      } finally {
        replacing -= 1;
      }
    },
  };
}
