import type { Served } from "../support/momo.ts";
import type { Draw } from "../support/random.ts";
import { demand } from "../support/reconcile.ts";
import { until } from "../support/waiting.ts";
import type { Attempt, Item, Ledger } from "./ledger.ts";

export interface Clients {
  /** Resolves when the last of them has stopped. @throws the first wrong answer that a client got */
  stop(): Promise<void>;
}

/**
 * Starts clients of a server. Each starts payments of all outcomes one after the other, polls some, and answers by hand those
 * that wait for it. A client ends at `stop()`, or when the server is gone. Returns after the first answer.
 */
export async function startClients(count: number, server: Served, ledger: Ledger, draw: Draw): Promise<Clients> {
  const before = ledger.answered;
  let isStopped = false;

  async function client(): Promise<void> {
    while (!isStopped) {
      const attempt = ledger.begin(draw);
      const answer = await answerOf(startPayment(server, attempt, draw(400)));
      if (answer === null) return;
      attempt.checkoutRequestId = String(answer.checkout_request_id);
      if (attempt.outcome.ending.by === "hand" && draw(2) === 0 && !(await answerByHand(server, attempt, draw))) return;
      if (draw(4) === 0 && (await answerOf(askStatus(server, attempt))) === null) return;
    }
  }

  const ended = Promise.all(Array.from({ length: count }, client));
  ended.catch(() => {}); // stop() reports it
  await until(() => ledger.answered > before);
  return {
    async stop() {
      isStopped = true;
      await ended;
    },
  };
}

/**
 * Starts payments at once, each with a drawn outcome that ends soon, and records the answers.
 * @returns how many were refused @throws an error if one was refused with anything but the fixed 500 of the API
 */
export async function payAtOnce(count: number, server: Served, ledger: Ledger, draw: Draw): Promise<number> {
  const attempts = await Promise.all(
    Array.from({ length: count }, async () => {
      const attempt = ledger.begin(draw);
      const answer = await startPayment(server, attempt, 50);
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

/** @param afterMs when the network announces the outcome, unless a person or the deadline does */
function startPayment({ ready, post }: Served, { amount, outcome: { name, ending } }: Attempt, afterMs: number) {
  const order = { payment_account_id: ready.payment_account_id, phone: "0712345678", amount };
  const isTimed = ending.by === "network" && name !== "expired";
  return post("/stkpush.php", order, { "X-Sandbox-Outcome": isTimed ? `${name}; after=${afterMs}ms` : name });
}

const askStatus = ({ post }: Served, { checkoutRequestId }: Attempt) =>
  post("/status.php", { checkout_request_id: checkoutRequestId });

/** The prompt had ended before the answer by hand. */
const TOO_LATE = 409;

/** @returns false if the server was gone */
async function answerByHand({ ask }: Served, attempt: Attempt, draw: Draw): Promise<boolean> {
  const status = draw(2) === 0 ? "completed" : "cancelled";
  attempt.byHand = { status, isConfirmed: false };
  const answer = await answerOf(
    ask("POST", `/prompts/${attempt.checkoutRequestId}/answer`, { outcome: status }),
    TOO_LATE,
  );
  if (answer?.success === true) attempt.byHand.isConfirmed = true;
  if (answer?.success === false) attempt.byHand = null; // it had expired
  return answer !== null;
}

/**
 * The answer of the server, or null if the server stops or was gone before the whole answer was read.
 * @param expected a status that is allowed besides 200
 * @throws an error for any other status
 */
async function answerOf(response: Promise<Response>, expected = 200): Promise<Record<string, unknown> | null> {
  let status: number;
  let text: string;
  try {
    const answer = await response;
    status = answer.status;
    text = await answer.text();
  } catch {
    return null;
  }
  // A request that comes while it stops is refused, and is not stored.
  if (status === 503 && text.includes("the server is stopping")) return null;
  demand(status === 200 || status === expected, () => `answered ${status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

interface Summary {
  readonly pending_count: number;
  readonly completed_count: number;
  readonly total_completed_amount: number;
}

async function readPage({ get }: Served, query: string) {
  const answer = await get(`/transactions.php?${query}`);
  return (await answer.json()) as {
    readonly transactions: Item[];
    readonly pagination: { readonly total_items: number };
    readonly summary: Summary;
  };
}

/** All that the server lists. @throws an error if the count is not that of the rows */
export async function listAll(server: Served): Promise<{ items: Item[]; summary: Summary }> {
  const { pagination, summary } = await readPage(server, "limit=1");
  const pages = Array.from({ length: Math.ceil(pagination.total_items / 100) }, (_, index) => index + 1);
  const lists = await Promise.all(pages.map((page) => readPage(server, `limit=100&page=${page}`)));
  const items = lists.flatMap(({ transactions }) => transactions);
  demand(items.length === pagination.total_items, () => `${pagination.total_items} counted, ${items.length} listed`);
  return { items, summary };
}

/** Waits until no payment is pending, and returns all payments. @throws an error if that takes too long, or the totals are wrong */
export async function listWhenFinal(server: Served): Promise<Item[]> {
  await until(
    () => readPage(server, "limit=1"),
    ({ summary }) => summary.pending_count === 0,
  );
  const { items, summary } = await listAll(server);
  const paid = items.filter(({ status }) => status === "completed");
  const total_completed_amount = paid.reduce((total, { amount }) => total + amount, 0);
  const expected = { pending_count: 0, completed_count: paid.length, total_completed_amount };
  for (const [name, value] of Object.entries(expected)) {
    demand(summary[name as keyof Summary] === value, () => `${name} is ${JSON.stringify(summary)}, not ${value}`);
  }
  return items;
}
