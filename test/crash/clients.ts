import type { Served } from "../support/momo.ts";
import type { Draw } from "../support/random.ts";
import { ASKED_FOR, type Attempt, demand, type Item, type Ledger, type Outcome } from "./ledger.ts";

export interface Clients {
  /** Resolves when the last of them has stopped. @throws what a client should never have been told */
  readonly ended: Promise<void>;
  stop(): void;
}

/**
 * Sets so many clients on a server: each starts payments one after the other, of all outcomes, asks what became of some, and
 * answers by hand those that wait for it. A client stops when it is told to, or when the server is gone.
 */
export function startClients(count: number, server: Served, ledger: Ledger, draw: Draw): Clients {
  let stopped = false;

  async function client(): Promise<void> {
    while (!stopped) {
      const outcome = ASKED_FOR[draw(ASKED_FOR.length)] as Outcome;
      const attempt = ledger.begin(outcome);
      const after = outcome.ending.by === "network" && outcome.name !== "expired" ? `; after=${draw(400)}ms` : "";
      const answer = await told(startPayment(server, attempt, outcome.name + after));
      if (answer === null) return;
      attempt.checkoutRequestId = String(answer.checkout_request_id);
      if (outcome.ending.by === "hand" && draw(2) === 0 && !(await answerByHand(server, attempt, draw))) return;
      if (draw(4) === 0 && (await told(askStatus(server, attempt))) === null) return;
    }
  }

  const ended = Promise.all(Array.from({ length: count }, client)).then(() => {});
  ended.catch(() => {}); // whoever waits for the end is told, and may come late
  return {
    ended,
    stop() {
      stopped = true;
    },
  };
}

/**
 * Starts so many payments at once, each of some outcome that ends soon, and notes what is answered.
 * @returns how many were refused @throws an error where one was refused with anything but the fixed 500 of the API
 */
export async function payAtOnce(count: number, server: Served, ledger: Ledger, draw: Draw): Promise<number> {
  const attempts = await Promise.all(
    Array.from({ length: count }, async () => {
      const outcome = ASKED_FOR[draw(ASKED_FOR.length)] as Outcome;
      const attempt = ledger.begin(outcome);
      const after = outcome.ending.by === "network" && outcome.name !== "expired" ? "; after=50ms" : "";
      const answer = await startPayment(server, attempt, outcome.name + after);
      const body = (await answer.json()) as Record<string, unknown>;
      attempt.refused = answer.status !== 200;
      if (attempt.refused) demandFixedAnswer(answer.status, body);
      else attempt.checkoutRequestId = String(body.checkout_request_id);
      return attempt;
    }),
  );
  return attempts.filter(({ refused }) => refused).length;
}

function demandFixedAnswer(status: number, body: unknown): void {
  const fixed = { success: false, message: "internal server error" };
  demand(status === 500 && Bun.deepEquals(body, fixed), () => `answered ${status}: ${JSON.stringify(body)}`);
}

function startPayment({ ready, post }: Served, { amount }: Pick<Attempt, "amount">, outcome: string) {
  const order = { payment_account_id: ready.payment_account_id, phone: "0712345678", amount };
  return post("/stkpush.php", order, { "X-Sandbox-Outcome": outcome });
}

const askStatus = ({ post }: Served, { checkoutRequestId }: Attempt) =>
  post("/status.php", { checkout_request_id: checkoutRequestId });

/** The prompt had ended before somebody answered it. */
const TOO_LATE = 409;

/** @returns whether the server was there to take it */
async function answerByHand({ ready }: Served, attempt: Attempt, draw: Draw): Promise<boolean> {
  const status = draw(2) === 0 ? "completed" : "cancelled";
  attempt.byHand = { status, told: false };
  const answer = await told(
    fetch(`${ready.control_url}/prompts/${attempt.checkoutRequestId}/answer`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ outcome: status }),
    }),
    TOO_LATE,
  );
  if (answer?.success === true) attempt.byHand.told = true;
  if (answer?.success === false) attempt.byHand = null; // it had expired
  return answer !== null;
}

/**
 * A whole answer, or null where the server was gone before it was read to its end.
 * @param expected a refusal that may be
 * @throws an error where it says that anything else failed
 */
async function told(response: Promise<Response>, expected = 200): Promise<Record<string, unknown> | null> {
  let status: number;
  let text: string;
  try {
    const answer = await response;
    status = answer.status;
    text = await answer.text();
  } catch {
    return null;
  }
  demand(status === 200 || status === expected, () => `answered ${status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

interface Page {
  readonly transactions: Item[];
  readonly pagination: { readonly total_items: number; readonly total_pages: number };
  readonly summary: {
    readonly pending_count: number;
    readonly completed_count: number;
    readonly total_completed_amount: number;
  };
}

/** All that the server lists, and what is still pending. @throws an error where its totals are not those of its rows */
export async function listAll({ get }: Served): Promise<{ items: Item[]; pending: number }> {
  const page = async (number: number) =>
    (await (await get(`/transactions.php?limit=100&page=${number}`)).json()) as Page;
  const first = await page(1);
  const rest = await Promise.all(
    Array.from({ length: Math.max(first.pagination.total_pages - 1, 0) }, (_, index) => page(index + 2)),
  );
  const items = [first, ...rest].flatMap(({ transactions }) => transactions);
  demand(
    items.length === first.pagination.total_items,
    () => `${first.pagination.total_items} counted, ${items.length} listed`,
  );
  return { items, pending: first.summary.pending_count };
}

/** Waits until nothing is pending, and returns all there is. @throws an error where that takes more than ten seconds */
export async function listWhenFinal(server: Served): Promise<Item[]> {
  const deadlineMs = performance.now() + 10_000;
  for (;;) {
    const { summary } = (await (await server.get("/transactions.php?limit=1")).json()) as Page;
    if (summary.pending_count === 0) break;
    demand(performance.now() < deadlineMs, () => `${summary.pending_count} payments are pending after ten seconds`);
    await Bun.sleep(50);
  }
  const { items } = await listAll(server);
  const { summary } = (await (await server.get("/transactions.php?limit=1")).json()) as Page;
  const paid = items.filter(({ status }) => status === "completed");
  demand(summary.completed_count === paid.length, () => `${paid.length} paid, ${summary.completed_count} counted`);
  const sum = paid.reduce((total, { amount }) => total + amount, 0);
  demand(
    summary.total_completed_amount === sum,
    () => `KES ${sum} paid, ${summary.total_completed_amount} in the total`,
  );
  return items;
}
