interface FloodOptions {
  readonly post: (path: string, body: object) => Promise<unknown>;
  readonly paymentAccountId: number;
  readonly perSecond: number;
  /** Between two polls of a payment; by default as is recommended. */
  readonly pollMs?: number;
}

export interface Flood {
  /** How many payments it has started. */
  started(): number;
  /** Starts no more, and waits for what is under way. */
  stop(): Promise<void>;
}

const TICKS_PER_SECOND = 20;
const RECOMMENDED_POLL_MS = 3000;

/** Some customers of each kind: most pay, some fail, and each takes the time of its test phone. */
const ENDINGS = ["254700000001", "254700000032", "254700000201"];

/** A client as there are in the field: it starts payments, and polls each until it is final. */
export function startFlood({ post, paymentAccountId, perSecond, pollMs = RECOMMENDED_POLL_MS }: FloodOptions): Flood {
  let count = 0;
  let isOver = false;
  const underWay = new Set<Promise<void>>();

  async function pay(number: number): Promise<void> {
    const phone = number % 10 < ENDINGS.length ? ENDINGS[number % 10] : `07${10_000_000 + (number % 300)}`;
    const order = {
      payment_account_id: paymentAccountId,
      phone,
      amount: 10 + (number % 4990),
      reference: `ORDER-${number}`,
    };
    const { checkout_request_id } = (await post("/stkpush.php", order)) as { checkout_request_id: string };
    for (let status = "pending"; status === "pending" && !isOver; ) {
      await Bun.sleep(pollMs);
      ({ status } = (await post("/status.php", { checkout_request_id })) as { status: string });
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

  return {
    started: () => count,
    async stop() {
      isOver = true;
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}
