import { HEADERS } from "../../support/replicas.ts";
import { until } from "../../support/waiting.ts";

/** Clients that start payments one after another, each with its own reference. */

export interface Answered {
  readonly reference: string;
  readonly transactionId: number;
}

export interface Load {
  readonly answered: readonly Answered[];
  /** Requests that failed: their payment may be stored or not. */
  readonly unanswered: number;
  /** Payments that were answered, and not found afterwards. */
  readonly notFound: number;
  /** Why requests failed. */
  readonly reasons: ReadonlySet<string>;
  /** The longest time between two answers since the last reading. */
  takeSilenceMs(): number;
  /** Resolves at the next answer. */
  untilAnswered(): Promise<void>;
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 15_000;
/** How long a client waits after a failure, so that it does not fill the log. */
const FAILURE_PAUSE_MS = 20;

/** @param pauseMs how long a client waits after each answer */
export function startLoad(origin: string, { clients, pauseMs }: { clients: number; pauseMs: number }): Load {
  const run = crypto.randomUUID().slice(0, 8);
  const answered: Answered[] = [];
  const reasons = new Set<string>();
  let [unanswered, notFound, isStopped] = [0, 0, false];
  let [lastMs, silenceMs] = [performance.now(), 0];

  function noteAnswer(): void {
    const nowMs = performance.now();
    silenceMs = Math.max(silenceMs, nowMs - lastMs);
    lastMs = nowMs;
  }

  const send = (path: string, body: object) =>
    fetch(`${origin}/v2/${path}`, {
      method: "POST",
      headers: { ...HEADERS, "X-Sandbox-Outcome": "completed; after=1s" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });

  async function pay(reference: string): Promise<void> {
    const response = await send("stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 100, reference });
    if (response.status !== 200) throw new Error(`${response.status} ${(await response.text()).slice(0, 60)}`);
    const answer = (await response.json()) as { transaction_id: number; checkout_request_id: string };
    noteAnswer();
    answered.push({ reference, transactionId: answer.transaction_id });
    const found = await send("status.php", { checkout_request_id: answer.checkout_request_id });
    const text = await found.text();
    if (found.status === 404) notFound += 1;
    else if (found.status !== 200) throw new Error(`status: ${found.status} ${text.slice(0, 60)}`);
  }

  async function client(name: number): Promise<void> {
    for (let count = 0; !isStopped; count += 1) {
      try {
        await pay(`${run}-${name}-${count}`);
        if (pauseMs > 0) await Bun.sleep(pauseMs);
      } catch (error) {
        unanswered += 1;
        reasons.add((error as Error).message.slice(0, 100));
        await Bun.sleep(FAILURE_PAUSE_MS);
      }
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
  return {
    answered,
    reasons,
    get unanswered() {
      return unanswered;
    },
    get notFound() {
      return notFound;
    },
    async untilAnswered() {
      const before = answered.length;
      await until(
        async () => answered.length,
        (count) => count > before,
      );
    },
    takeSilenceMs() {
      noteAnswer();
      const longest = silenceMs;
      silenceMs = 0;
      return longest;
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
