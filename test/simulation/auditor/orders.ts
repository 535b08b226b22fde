import type { Answer, WorldEvent } from "../events.ts";
import type { Judge } from "./auditor.ts";
import type { Book } from "./book.ts";
import { demandFailure, demandSuccess, isInternalError, SameWords } from "./list.ts";
import { predict } from "./prediction.ts";
import { demand, difference, type Environment, feeOf, toCents } from "./views.ts";

/** What a merchant orders by the API (§4.1), or a test by the control API. */
export interface Order {
  readonly merchantId: number;
  readonly kind: string;
  readonly body: Record<string, unknown>;
  readonly instruction: string | null;
}

/** An order in flight. */
interface OpenOrder {
  readonly merchantId: number;
  readonly kind: string;
  /** The prompt that the network must get. */
  readonly content: object;
  readonly sentAtMs: number;
  /** The network's answer; null before it. */
  result: "accepted" | "refused" | "invalid" | "broken" | null;
  /** The payment that may be stored. */
  payment: string | null;
  /** A reset came before the answer of the network. */
  mayBeForgotten: boolean;
}

/** Compares the orders with the prompts that the network gets, and the network's answers with those to the orders. */
export class Orders {
  readonly #environment: Environment;
  readonly #book: Book;
  readonly #promptTimeoutMs: number;
  readonly #words = new SameWords("a payment account that is not one's own");
  #open: OpenOrder[] = [];

  constructor(environment: Environment, book: Book, promptTimeoutMs: number) {
    this.#environment = environment;
    this.#book = book;
    this.#promptTimeoutMs = promptTimeoutMs;
  }

  /** The process has ended, and with it all requests in flight. */
  processEnded(): void {
    this.#open = [];
  }

  /** A reset is sent: what the network has not accepted may be refused. */
  resetting(): void {
    for (const order of this.#open) order.mayBeForgotten = order.result === null;
  }

  /** The network got a prompt. From now on there may be a payment. */
  onEvent({ prompt, result, consulted }: Extract<WorldEvent, { kind: "push" }>): void {
    const { paymentAccountId, phone, amountCents, reference, description, instruction } = prompt;
    const content = { paymentAccountId, phone, amountCents, reference, description, instruction };
    const order = this.#open.find(
      (one) => one.result === null && one.sentAtMs === prompt.pushedAtMs && difference(content, one.content) === null,
    );
    demand(
      order !== undefined,
      `the network was asked for a payment that no merchant ordered: ${JSON.stringify(prompt)}`,
    );
    const deadlineMs = prompt.pushedAtMs + this.#promptTimeoutMs;
    demand(prompt.expiresAtMs === deadlineMs, `a prompt lives until ${prompt.expiresAtMs}, not ${deadlineMs}`);
    if (!consulted) {
      order.result = result === "refused" ? "refused" : "broken";
      return;
    }
    const prediction = predict(prompt, this.#environment.rules, this.#environment.byDefault);
    const predicted = prediction === "refused" || prediction === "invalid" ? prediction : "accepted";
    const said = typeof result === "string" ? result : "accepted";
    demand(said === predicted, `a prompt was ${said}, not ${predicted}: ${JSON.stringify(content)}`);
    order.result = predicted;
    if (typeof result === "string") return;
    const { merchantId, kind } = order;
    order.payment = result.checkoutRequestId;
    this.#book.add({
      ...{ merchantId, kind, amountCents, phone, reference, prediction, deadlineMs },
      ...result,
      feeCents: feeOf(this.#environment.accounts.get(paymentAccountId)?.tariff ?? "", amountCents),
      createdAtMs: prompt.pushedAtMs,
    });
  }

  sending({ merchantId, kind, body, instruction }: Order): Judge {
    if (this.#environment.accounts.get(Number(body.payment_account_id))?.merchantId !== merchantId) {
      // The same words for an unknown account and another merchant's; only the numbers differ.
      return (answer) =>
        this.#words.compare(demandFailure(answer, 400, ["payment_account_id"]).replaceAll(/\d[\d, ]*/g, "N"));
    }
    const content = {
      paymentAccountId: body.payment_account_id,
      phone: `254${String(body.phone).slice(-9)}`,
      amountCents: toCents(body.amount),
      reference: body.reference ?? null,
      description: body.description ?? null,
      instruction,
    };
    const order: OpenOrder = {
      merchantId,
      kind,
      content,
      sentAtMs: this.#environment.nowMs(),
      result: null,
      payment: null,
      mayBeForgotten: false,
    };
    this.#open.push(order);
    return (answer) => {
      if (answer.status === 200) this.#judgePayment(order, answer);
      else this.#judgeRefusal(order, answer);
      this.#open = this.#open.filter((other) => other !== order);
    };
  }

  /** The payment exists as it was ordered, and no other order has it. */
  #judgePayment(order: OpenOrder, answer: Answer): void {
    const { checkout_request_id, transaction_id } = answer.body as Record<string, unknown>;
    const payment = this.#book.payments.get(String(checkout_request_id));
    demand(payment !== undefined && !payment.isKnown, `the answer names ${checkout_request_id}, which is not its own`);
    demand(payment.merchantId === order.merchantId, "the payment was made for another merchant");
    demand(Number.isInteger(transaction_id), `the transaction id is ${transaction_id}`);
    const { checkoutRequestId, merchantRequestId } = payment;
    const members = {
      checkout_request_id: checkoutRequestId,
      merchant_request_id: merchantRequestId,
      transaction_id,
    };
    this.#book.see(payment, demandSuccess(answer, members));
  }

  /** The network refused it, or the commit failed. */
  #judgeRefusal(order: OpenOrder, answer: Answer): void {
    if (isInternalError(answer) && this.#book.isDisturbed) return;
    if (order.mayBeForgotten && answer.status === 503) {
      demandFailure(answer, 503);
      const payment = this.#book.payments.get(order.payment ?? "");
      if (payment && !payment.isKnown) this.#book.remove(payment);
      return;
    }
    const message = demandFailure(answer, answer.status === 400 ? 400 : 500);
    const isRefusal = message.startsWith("STK push initiation failed: ");
    const because = answer.status === 400 ? "invalid" : isRefusal ? "refused" : "broken";
    // Equal orders may have got each other's result.
    const twins = this.#open.filter((other) => difference(other.content, order.content) === null);
    const results = [order, ...twins].map(({ result }) => result);
    demand(results.includes(because), `the network did not say so: ${message}`);
  }
}
