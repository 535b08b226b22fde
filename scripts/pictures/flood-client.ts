import type { Client } from "../../test/support/client.ts";

const TICKS_PER_SECOND = 20;
const POLL_MS = 3000;

/** Of ten customers three have these test phones, so their payments do not complete. */
const TEST_PHONES = ["254700000001", "254700000032", "254700000201"];

/**
 * A client that starts payments at this rate, and polls each until it is final.
 * @returns a function that ends it
 */
export function startFlood(client: Pick<Client, "pay" | "statusOf">, perSecond: number): () => Promise<void> {
  let count = 0;
  let isOver = false;
  const underWay = new Set<Promise<void>>();

  async function pay(number: number): Promise<void> {
    const order = {
      phone: TEST_PHONES[number % 10] ?? `07${10_000_000 + (number % 300)}`,
      amount: 10 + (number % 4990),
      reference: `ORDER-${number}`,
    };
    const id = await client.pay(order);
    for (let status = "pending"; status === "pending" && !isOver; ) {
      await Bun.sleep(POLL_MS);
      status = await client.statusOf(id);
    }
  }

  const startedMs = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - startedMs) / 1000) * perSecond;
    for (; count < due; count += 1) {
      const payment: Promise<void> = pay(count).finally(() => underWay.delete(payment));
      underWay.add(payment);
    }
  }, 1000 / TICKS_PER_SECOND);

  return async () => {
    isOver = true;
    clearInterval(timer);
    await Promise.all(underWay);
  };
}
