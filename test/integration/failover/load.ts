import { HEADERS } from "../../support/replicas.ts";

/** Clients that start payments one after another, each with a reference of its own. */

export interface Answered {
  readonly reference: string;
  readonly transactionId: number;
}

export interface Load {
  readonly answered: readonly Answered[];
  /** Calls that failed: nobody was told that their payment was taken. */
  readonly unanswered: number;
  /** Why, and how often. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The longest time between two answers since the last reading. */
  takeSilenceMs(): number;
  stop(): Promise<void>;
}

const PATIENCE_MS = 15_000;
/** How long a client waits after a failure, so that it does not fill the log. */
const FAILURE_PAUSE_MS = 20;

/** @param pauseMs how long a client waits after each answer */
export function startLoad(origin: string, { clients, pauseMs }: { clients: number; pauseMs: number }): Load {
  const run = crypto.randomUUID().slice(0, 8);
  const answered: Answered[] = [];
  const reasons = new Map<string, number>();
  let [unanswered, isStopped] = [0, false];
  let [lastMs, silenceMs] = [performance.now(), 0];

  function noteAnswer(): void {
    const nowMs = performance.now();
    silenceMs = Math.max(silenceMs, nowMs - lastMs);
    lastMs = nowMs;
  }

  async function pay(reference: string): Promise<void> {
    const response = await fetch(`${origin}/v2/stkpush.php`, {
      method: "POST",
      headers: { ...HEADERS, "X-Sandbox-Outcome": "completed; after=1s" },
      body: JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100, reference }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status !== 200) throw new Error(`${response.status} ${(await response.text()).slice(0, 60)}`);
    const answer = (await response.json()) as { transaction_id: number };
    noteAnswer();
    answered.push({ reference, transactionId: answer.transaction_id });
  }

  async function client(name: number): Promise<void> {
    for (let count = 0; !isStopped; count += 1) {
      try {
        await pay(`${run}-${name}-${count}`);
        if (pauseMs > 0) await Bun.sleep(pauseMs);
      } catch (error) {
        unanswered += 1;
        const reason = (error as Error).message.slice(0, 100);
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
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
