import type { Answer, WorldEvent } from "../events.ts";
import type { Judge } from "./auditor.ts";
import type { Book } from "./book.ts";
import { demand, difference } from "./discrepancy.ts";
import { foretell } from "./forecast.ts";
import { feeOf, toCents } from "./money.ts";
import { demandFailure, demandSuccess, isInternalError, onAnswer, SameWords, wrongMembers } from "./requests.ts";
import type { Surroundings } from "./surroundings.ts";

/** What somebody asks for: a merchant by the API (§4.1), or a test by the control API. */
export interface Order {
  readonly merchantId: number;
  readonly kind: string;
  readonly body: Record<string, unknown>;
  readonly instruction: string | null;
  readonly form: "full" | "short";
}

/** An order that is under way. */
interface OpenOrder {
  readonly merchantId: number;
  readonly kind: string;
  /** As the network must be asked for it. */
  readonly content: object;
  readonly sentAtMs: number;
  /** What the network said; null while it has said nothing. */
  result: "taken" | "refused" | "invalid" | "broken" | null;
}

/** Holds what the network is asked for against what was ordered, and the answers to orders against what the network said. */
export class Orders {
  readonly #around: Surroundings;
  readonly #book: Book;
  readonly #promptTimeoutMs: number;
  readonly #words = new SameWords("a payment account that is not one's own");
  #open: OpenOrder[] = [];

  constructor(around: Surroundings, book: Book, promptTimeoutMs: number) {
    this.#around = around;
    this.#book = book;
    this.#promptTimeoutMs = promptTimeoutMs;
  }

  /** The process has ended, and all that was under way with it. */
  processEnded(): void {
    this.#open = [];
  }

  /** The network has been asked for a prompt. From now on there may be a payment. */
  hear({ prompt, result, consulted }: Extract<WorldEvent, { kind: "push" }>): void {
    const { paymentAccountId, phone, amountCents, reference, description, instruction } = prompt;
    const content = { paymentAccountId, phone, amountCents, reference, description, instruction };
    const order = this.#open.find(
      (one) => one.result === null && one.sentAtMs === prompt.pushedAtMs && difference(content, one.content) === null,
    );
    demand(order !== undefined, `the network was asked for a payment that nobody ordered: ${JSON.stringify(prompt)}`);
    const deadlineMs = prompt.pushedAtMs + this.#promptTimeoutMs;
    demand(prompt.expiresAtMs === deadlineMs, `a prompt lives until ${prompt.expiresAtMs}, not ${deadlineMs}`);
    if (!consulted) {
      order.result = result === "refused" ? "refused" : "broken";
      return;
    }
    const fate = foretell(prompt, this.#around.rules, this.#around.byDefault);
    const foretold = fate === "refused" || fate === "invalid" ? fate : "taken";
    const said = typeof result === "string" ? result : "taken";
    demand(said === foretold, `a prompt was ${said}, not ${foretold}: ${JSON.stringify(content)}`);
    order.result = foretold;
    if (typeof result === "string") return;
    const { merchantId, kind } = order;
    this.#book.add({
      ...{ merchantId, kind, amountCents, phone, reference, fate, deadlineMs },
      ...result,
      feeCents: feeOf(this.#around.accounts.get(paymentAccountId)?.tariff ?? "", amountCents),
      createdAtMs: prompt.pushedAtMs,
    });
  }

  sending({ merchantId, kind, body, instruction, form }: Order): Judge {
    const wrong = wrongMembers(body);
    if (wrong.length > 0) return onAnswer((answer) => demandFailure(answer, 400, wrong));
    if (this.#around.accounts.get(Number(body.payment_account_id))?.merchantId !== merchantId) {
      return onAnswer((answer) => this.#words.hold(demandFailure(answer, 400, ["payment_account_id"])));
    }
    const content = {
      paymentAccountId: body.payment_account_id,
      phone: `254${String(body.phone).slice(-9)}`,
      amountCents: toCents(body.amount),
      reference: body.reference ?? null,
      description: body.description ?? null,
      instruction,
    };
    const order: OpenOrder = { merchantId, kind, content, sentAtMs: this.#around.nowMs(), result: null };
    this.#open.push(order);
    return onAnswer((answer) => {
      if (answer.status === 200) this.#judgePayment(order, answer, form);
      else this.#judgeRefusal(order, answer);
      this.#open = this.#open.filter((other) => other !== order);
    });
  }

  /** It exists, as it was ordered, and is its own. */
  #judgePayment(order: OpenOrder, answer: Answer, form: "full" | "short"): void {
    const { checkout_request_id, transaction_id } = answer.body as Record<string, unknown>;
    const payment = this.#book.payments.get(String(checkout_request_id));
    demand(payment !== undefined && !payment.isKnown, `the answer names ${checkout_request_id}, which is not its own`);
    demand(payment.merchantId === order.merchantId, "the payment was made for another merchant");
    demand(form === "short" || Number.isInteger(transaction_id), `the transaction id is ${transaction_id}`);
    const { checkoutRequestId, merchantRequestId } = payment;
    const members = { checkout_request_id: checkoutRequestId, merchant_request_id: merchantRequestId };
    const body = demandSuccess(answer, form === "short" ? members : { ...members, transaction_id });
    this.#book.see(payment, body);
  }

  /** The network did not take it, or the commit failed. */
  #judgeRefusal(order: OpenOrder, answer: Answer): void {
    if (isInternalError(answer) && this.#book.isDisturbed) return;
    const message = demandFailure(answer, answer.status === 400 ? 400 : 500);
    const isRefusal = message.startsWith("STK push initiation failed: ");
    const because = answer.status === 400 ? "invalid" : isRefusal ? "refused" : "broken";
    // Orders alike in everything may have had each other's luck.
    const twins = this.#open.filter((other) => difference(other.content, order.content) === null);
    const results = [order, ...twins].map(({ result }) => result);
    demand(results.includes(because), `the network did not say so: ${message}`);
  }
}
