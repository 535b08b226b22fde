import { atMost, type Clock } from "../domain/clock.ts";
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
  readonly draws: Random;
  readonly promptTimeoutMs: number;
  readonly accountAdvice?: string;
}

/**
 * Pushes a prompt to the network, and stores the transaction (§3: none → pending). It is on disk when this returns.
 * @throws Refusal `account` if the account is not the merchant's; `provider` if the network does not accept the prompt. Then
 * nothing is stored.
 * @param requireUnchanged throws if the payment must not be stored any more
 */
export async function startPayment(
  parts: Parts,
  merchantId: number,
  order: PaymentOrder,
  requireUnchanged: () => void,
): Promise<PendingTransaction> {
  const { store, provider, clock, draws, promptTimeoutMs } = parts;
  const { instruction: _, ...facts } = order;
  const account = await store.merchants.findPaymentAccount(order.paymentAccountId);
  if (account?.merchantId !== merchantId) {
    throw await notYours(parts, merchantId, order.paymentAccountId);
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
      ...facts,
      merchantId,
      feeCents: feeCents(account.tariff, order.amountCents),
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
 * The payments that are being started. The list has the order of their numbers, so the numbers must rise with time, also when a
 * reset or a restore sets the clock back: each payment gets its number and is stored either before it or after it.
 */
export function createStarts(realClock: Clock) {
  const mutex = createMutex();
  let paused: Promise<unknown> | null = null;
  let [unstored, pauses, lastReason] = [0, 0, ""];
  let whenNone = () => {};

  return {
    /** @param start calls its argument immediately before it stores the payment */
    async run<T>(start: (requireUnchanged: () => void) => Promise<T>): Promise<T> {
      while (paused) await paused;
      const before = pauses;
      let isCounted = true;
      const leave = () => {
        if (isCounted) unstored -= 1;
        isCounted = false;
        if (unstored === 0) whenNone();
      };
      unstored += 1;
      try {
        return await start(() => {
          if (pauses !== before) throw new Refusal("unavailable", `${lastReason} ${LATE}`);
          leave();
        });
      } finally {
        leave();
      }
    },

    /**
     * Runs `work` while no payment is being started. It waits for one turn of the event loop, in which the simulated network accepts
     * a prompt. A payment whose network takes longer is refused.
     * @param reason what happened, for the refusal
     */
    async pause<T>(reason: string, work: () => Promise<T>): Promise<T> {
      const working = mutex.run(async () => {
        const none = new Promise<void>((resolve) => {
          whenNone = resolve;
        });
        if (unstored > 0) await atMost(realClock, 0, none);
        pauses += 1;
        lastReason = reason;
        return work();
      });
      const pause = working.catch(() => {});
      paused = pause;
      try {
        return await working;
      } finally {
        if (paused === pause) paused = null;
      }
    },
  };
}
