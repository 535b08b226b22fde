import type { Answer, Sent, WorldEvent } from "../events.ts";
import { Book, type Payment, statusOf } from "./book.ts";
import { ControlAuditor } from "./control.ts";
import { demand, Discrepancy, difference } from "./discrepancy.ts";
import { foretell } from "./forecast.ts";
import { listOf, readQuery, select } from "./list.ts";
import { feeOf } from "./money.ts";
import { demandFailure, demandSuccess, pathOf, readObject, wrongMembers } from "./requests.ts";
import { Surroundings } from "./surroundings.ts";

/** Holds the answer to one request against what was foretold when it was sent. Throws a Discrepancy. */
export type Judge = (answer: Answer | "lost") => void;

export interface AuditorOptions {
  readonly form: "full" | "short";
  readonly promptLifetimeMs: number;
  /** The time outside the process. */
  readonly outsideMs: () => number;
}

/** The order of a payment that is under way. */
interface Order {
  readonly merchantId: number;
  readonly kind: string;
  /** As the network must be asked for it. */
  readonly content: object;
  readonly sentAtMs: number;
  /** What the network said; null while it has said nothing. */
  result: "taken" | "refused" | "invalid" | "broken" | null;
  readonly checkoutRequestIds: string[];
}

const OPERATIONS: Readonly<Record<string, string>> = {
  "/v2/stkpush.php": "POST",
  "/v2/status.php": "POST",
  "/v2/transactions.php": "GET",
};

/**
 * Foretells every answer from the documentation and from what passed between the service and the network, and shares no code with
 * the program. Where nobody outside can tell (a commit failed, the process died while something was under way) it accepts either,
 * and has a look, after which it is certain again.
 */
export class Auditor {
  readonly #options: AuditorOptions;
  readonly #book = new Book();
  readonly #around: Surroundings;
  readonly #control: ControlAuditor;
  #orders: Order[] = [];
  /** A commit has failed since the last rest, so that a request may have failed with it. */
  #hasFailed = false;
  /** Refusals that must not differ, so that nobody learns from them what is another's. */
  readonly #words = new Map<string, string>();

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#around = new Surroundings(options.outsideMs);
    this.#control = new ControlAuditor(this.#around, this.#book, (order) => this.#orderJudge(order));
  }

  hear(event: WorldEvent): void {
    switch (event.kind) {
      case "push":
        return this.#hearPush(event);
      case "asked":
      case "said":
        return this.#book.hear(event);
      case "commit failed":
        this.#hasFailed = true;
        return this.#book.disturb();
      case "died":
        this.#around.processEnded();
        this.#orders = [];
        return this.#book.disturb();
      case "restarted":
        this.#around.processEnded();
        this.#orders = [];
    }
  }

  /** To be called when a request is sent; what it returns, when it is answered. */
  sending(sent: Sent): Judge {
    const { path, query } = pathOf(sent);
    if (path.startsWith("/_momo/")) {
      const judge = this.#control.sending(sent);
      return (answer) => {
        if (answer !== "lost" && this.#isExcused(answer)) this.#control.lost(sent);
        else judge(answer);
      };
    }
    const method = OPERATIONS[path];
    if (method === undefined) return onAnswer((answer) => void demandFailure(answer, 404));
    if (sent.method !== method) {
      return onAnswer((answer) => {
        demandFailure(answer, 405);
        demand(answer.allow === method, `405 allows ${answer.allow}`);
      });
    }
    const merchantId = this.#around.whoseKey(sent.headers["X-API-Key"], sent.headers["X-API-Secret"]);
    if (merchantId === null) return onAnswer((answer) => this.#sameWords("credentials", demandFailure(answer, 401)));
    if (path === "/v2/transactions.php") return this.#listJudge(merchantId, query);
    const body = readObject(sent);
    if (body === null) return onAnswer((answer) => void demandFailure(answer, 400));
    if (path === "/v2/status.php") return this.#statusJudge(merchantId, body);
    return this.#orderJudge({ merchantId, kind: "api", body, instruction: sent.headers["X-Sandbox-Outcome"] ?? null });
  }

  /** The process is at rest: all that is due must be done. */
  rest(): void {
    this.#book.rest(this.#around.nowMs());
  }

  /** A request whose answer makes one thing certain that nobody can foretell; null where everything is certain. */
  question(): { readonly sent: Sent; readonly judge: Judge } | null {
    const nowMs = this.#around.nowMs();
    for (const payment of this.#book.payments.values()) {
      if (!this.#book.isUncertain(payment, nowMs)) continue;
      const key = this.#around.keyOf(payment.merchantId);
      const target = `/v2/transactions.php?search=${payment.checkoutRequestId}`;
      const sent = { method: "GET", target, headers: key, body: null };
      return { sent, judge: onAnswer((answer) => this.#learn(payment, answer)) };
    }
    this.#book.looked();
    this.#hasFailed = false;
    return null;
  }

  /** The last instant at which something is still to happen. */
  lastDeadlineMs(): number {
    return Math.max(0, ...[...this.#book.payments.values()].map(({ deadlineMs }) => deadlineMs));
  }

  nowMs(): number {
    return this.#around.nowMs();
  }

  /** When time has passed beyond every deadline, in fair weather. */
  demandAllFinal(): void {
    for (const { end, checkoutRequestId } of this.#book.payments.values()) {
      demand(end !== null, `${checkoutRequestId} is still pending when everything should have ended`);
    }
  }

  /** A key that another process has revoked. */
  revoked(apiKey: string): void {
    this.#around.keys.delete(apiKey);
  }

  get paymentCount(): number {
    return this.#book.payments.size;
  }

  #hearPush({ prompt, result, consulted }: Extract<WorldEvent, { kind: "push" }>): void {
    const { paymentAccountId, phone, amountCents, reference, description, instruction } = prompt;
    const content = { paymentAccountId, phone, amountCents, reference, description, instruction };
    const order = this.#orders.find(
      (one) =>
        one.result === null && one.sentAtMs === prompt.pushedAtMs && difference(content, one.content) === null,
    );
    demand(order !== undefined, `the network was asked for a payment that nobody ordered: ${JSON.stringify(prompt)}`);
    const { promptLifetimeMs } = this.#options;
    demand(prompt.expiresAtMs === prompt.pushedAtMs + promptLifetimeMs, "a prompt has another lifetime");
    if (!consulted) {
      order.result = result === "refused" ? "refused" : "broken";
      return;
    }
    const fate = foretell(prompt, this.#around.rules, this.#around.byDefault);
    const said = typeof result === "string" ? result : "taken";
    const foretold = fate === "refused" || fate === "invalid" ? fate : "taken";
    demand(said === foretold, `a prompt was ${said}, not ${foretold}: ${JSON.stringify(content)}`);
    order.result = foretold;
    if (typeof result === "string") return;
    const { merchantId, kind } = order;
    const account = this.#around.accounts.get(paymentAccountId);
    demand(account?.merchantId === merchantId, `account ${paymentAccountId} is not that of merchant ${merchantId}`);
    order.checkoutRequestIds.push(result.checkoutRequestId);
    this.#book.add({
      ...{ merchantId, kind, amountCents, phone, reference, fate },
      ...result,
      feeCents: feeOf(account.tariff, amountCents),
      createdAtMs: prompt.pushedAtMs,
      deadlineMs: prompt.expiresAtMs,
      ...{ id: null, isKnown: false, isMeddledWith: false, said: [], isSeenPending: false, end: null, transactionCode: null },
    });
  }

  #orderJudge(order: {
    merchantId: number;
    kind: string;
    body: Record<string, unknown>;
    instruction: string | null;
    form?: "full";
  }): Judge {
    const { merchantId, kind, body, instruction } = order;
    const wrong = wrongMembers(body);
    if (wrong.length > 0) return onAnswer((answer) => void demandFailure(answer, 400, wrong));
    if (this.#around.accounts.get(Number(body.payment_account_id))?.merchantId !== merchantId) {
      return onAnswer((answer) => {
        this.#sameWords("account", demandFailure(answer, 400, ["payment_account_id"]));
      });
    }
    const content = {
      paymentAccountId: body.payment_account_id,
      phone: `254${String(body.phone).slice(-9)}`,
      amountCents: Math.round(Number(body.amount) * 100),
      reference: body.reference ?? null,
      description: body.description ?? null,
      instruction,
    };
    const sentAtMs = this.#around.nowMs();
    const open: Order = { merchantId, kind, content, sentAtMs, result: null, checkoutRequestIds: [] };
    this.#orders.push(open);
    const form = order.form ?? this.#options.form;
    return onAnswer((answer) => {
      this.#judgeOrder(open, answer, form);
      this.#orders = this.#orders.filter((other) => other !== open);
    });
  }

  #judgeOrder(order: Order, answer: Answer, form: "full" | "short"): void {
    if (answer.status !== 200) {
      if (this.#isExcused(answer)) return;
      // Orders alike in everything may have had each other's luck.
      const twins = this.#orders.filter((other) => difference(other.content, order.content) === null);
      const results = [order, ...twins].map(({ result }) => result);
      const { message } = answer.body as { message: string };
      if (answer.status === 400) {
        demandFailure(answer, 400, ["X-Sandbox-Outcome"]);
        return demand(results.includes("invalid"), `the instruction was sound: ${message}`);
      }
      demandFailure(answer, 500);
      const isRefusal = message.startsWith("STK push initiation failed: ");
      return demand(results.includes(isRefusal ? "refused" : "broken"), `the network took the prompt: ${message}`);
    }
    const { checkout_request_id } = answer.body as { checkout_request_id: string };
    const payment = this.#book.payments.get(checkout_request_id);
    demand(payment !== undefined && !payment.isKnown, `the answer names ${checkout_request_id}, which is not its own`);
    demand(payment.merchantId === order.merchantId, "the payment was made for another merchant");
    const { checkoutRequestId, merchantRequestId } = payment;
    const body = demandSuccess(answer, {
      ...(form === "full" && { transaction_id: (answer.body as { transaction_id: unknown }).transaction_id }),
      checkout_request_id: checkoutRequestId,
      merchant_request_id: merchantRequestId,
    });
    demand(form === "short" || Number.isInteger(body.transaction_id), "the transaction id is no number");
    this.#book.see(payment, body);
  }

  #statusJudge(merchantId: number, body: Record<string, unknown>): Judge {
    const id = body.checkout_request_id;
    if (typeof id !== "string" || id === "" || id.length > 100) {
      return onAnswer((answer) => void demandFailure(answer, 400, ["checkout_request_id"]));
    }
    const payment = this.#book.payments.get(id);
    if (payment?.merchantId !== merchantId) {
      return onAnswer((answer) => this.#sameWords("status", demandFailure(answer, 404)));
    }
    return onAnswer((answer) => {
      this.#book.see(payment, demandSuccess(answer, statusOf(payment, this.#options.form)));
    });
  }

  #listJudge(merchantId: number, text: string): Judge {
    const query = readQuery(text);
    if ("wrong" in query) return onAnswer((answer) => void demandFailure(answer, 400, query.wrong));
    return onAnswer((answer) => {
      const selected = select(this.#book.payments.values(), merchantId, query.filters);
      if (query.filters.id !== undefined && selected.length === 0) return void demandFailure(answer, 404);
      demandSuccess(answer, listOf(selected, query, this.#options.form));
    });
  }

  /** Takes the answer to a question as the truth, where it is one that can be. */
  #learn(payment: Payment, answer: Answer): void {
    demand(answer.status === 200, `a list that was asked for is refused: ${JSON.stringify(answer.body)}`);
    const body = answer.body as Record<string, unknown>;
    const rows = (this.#options.form === "full" ? body.transactions : body.data) as unknown[];
    const [row] = rows;
    if (row !== undefined) return this.#book.learn(payment, row, this.#options.form, this.#around.nowMs());
    demand(!payment.isKnown, `${payment.checkoutRequestId} was answered, and does not exist`);
    this.#book.remove(payment);
  }

  /** Whether a request may have failed with a commit that was made to fail. */
  #isExcused({ status, body }: Answer): boolean {
    const isBug = status === 500 && (body as { message?: unknown }).message === "internal server error";
    return isBug && this.#hasFailed;
  }

  #sameWords(about: string, message: string): void {
    const before = this.#words.get(about) ?? message;
    if (before !== message) throw new Discrepancy(`about ${about} it says once "${before}" and once "${message}"`);
    this.#words.set(about, message);
  }
}

/** An answer that was lost says nothing. */
function onAnswer(judge: (answer: Answer) => void): Judge {
  return (answer) => {
    if (answer !== "lost") judge(answer);
  };
}
