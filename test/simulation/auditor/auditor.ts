import type { Answer, Sent, WorldEvent } from "../events.ts";
import { Book, type Payment } from "./book.ts";
import { ControlAuditor } from "./control.ts";
import {
  bodyOf,
  demandFailure,
  demandSuccess,
  isInternalError,
  listOf,
  pathOf,
  readQuery,
  SameWords,
  select,
} from "./list.ts";
import { Orders } from "./orders.ts";
import { demand, Environment, statusOf } from "./views.ts";

/** Compares the answer to one request with what was predicted when it was sent. Throws a Discrepancy. */
export type Judge = (answer: Answer) => void;

export interface AuditorOptions {
  readonly promptTimeoutMs: number;
  /** The time outside the process. */
  readonly outsideMs: () => number;
}

/**
 * Predicts every answer from the documentation and from what passed between the service and the network, and shares no code with
 * the program. If two answers are possible (a commit failed, the process died during a request), it accepts either, and then reads
 * which one happened.
 */
export class Auditor {
  readonly #book = new Book();
  readonly #environment: Environment;
  readonly #orders: Orders;
  readonly #control: ControlAuditor;
  readonly #credentialWords = new SameWords("credentials that open nothing");
  readonly #statusWords = new SameWords("a payment that is not one's own");

  constructor({ promptTimeoutMs, outsideMs }: AuditorOptions) {
    this.#environment = new Environment(outsideMs);
    this.#orders = new Orders(this.#environment, this.#book, promptTimeoutMs);
    this.#control = new ControlAuditor(this.#environment, this.#book, this.#orders);
  }

  /** The time that the process must show. */
  nowMs(): number {
    return this.#environment.nowMs();
  }

  onEvent(event: WorldEvent): void {
    switch (event.kind) {
      case "push":
        this.#orders.onEvent(event);
        break;
      case "asked":
      case "heard":
      case "said":
        this.#book.onEvent(event);
        break;
      case "commit failed":
        this.#book.disturb();
        break;
      case "died":
        this.#book.disturb();
        this.#processEnded();
        break;
      case "restarted":
        this.#processEnded();
    }
  }

  /** To be called when a request is sent. Call the returned function when the answer arrives. */
  sending(sent: Sent): Judge {
    const { path, query } = pathOf(sent);
    if (path.startsWith("/_momo/")) return this.#control.sending(sent);
    const merchantId = this.#environment.whoseKey(sent.headers["X-API-Key"] ?? "");
    if (merchantId === null) return (answer) => this.#credentialWords.compare(demandFailure(answer, 401));
    if (path === "/v2/transactions.php") return this.#listJudge(merchantId, query);
    const body = bodyOf(sent);
    if (path === "/v2/status.php") return this.#statusJudge(merchantId, body);
    const instruction = sent.headers["X-Sandbox-Outcome"] ?? null;
    return this.#orders.sending({ merchantId, kind: "api", body, instruction });
  }

  /** The process died before it answered. */
  lost(sent: Sent): void {
    this.#control.lost(sent);
  }

  /** A key that another process has revoked. */
  revoked(apiKey: string): void {
    this.#environment.keys.delete(apiKey);
  }

  /** The process is idle: everything due must be done. */
  rest(): void {
    this.#book.rest(this.nowMs());
  }

  /** A request whose answer decides what cannot be predicted; null if everything is certain. */
  question(): { readonly sent: Sent; readonly judge: Judge } | null {
    for (const payment of this.#book.payments.values()) {
      if (!this.#book.isUncertain(payment, this.nowMs())) continue;
      const headers = this.#environment.keyOf(payment.merchantId);
      const target = `/v2/transactions.php?search=${payment.checkoutRequestId}`;
      const sent = { method: "GET", target, headers, body: null };
      return { sent, judge: (answer) => this.#learn(payment, answer) };
    }
    this.#book.allRead();
    return null;
  }

  /** When the last prompt ends. */
  lastDeadlineMs(): number {
    return Math.max(0, ...[...this.#book.payments.values()].map(({ deadlineMs }) => deadlineMs));
  }

  /** To be called after every deadline, if nothing fails any more. */
  demandAllFinal(): void {
    for (const { end, checkoutRequestId } of this.#book.payments.values()) {
      demand(end !== null, `${checkoutRequestId} is still pending when everything should have ended`);
    }
  }

  get paymentCount(): number {
    return this.#book.payments.size;
  }

  #processEnded(): void {
    this.#environment.processEnded();
    this.#book.processEnded();
    this.#orders.processEnded();
  }

  #statusJudge(merchantId: number, body: Record<string, unknown>): Judge {
    const payment = this.#book.payments.get(String(body.checkout_request_id));
    if (payment?.merchantId !== merchantId) {
      return (answer) => this.#statusWords.compare(demandFailure(answer, 404));
    }
    return (answer) => {
      if (this.#mayFail(answer)) return;
      this.#book.see(payment, demandSuccess(answer, statusOf(payment)));
    };
  }

  #listJudge(merchantId: number, text: string): Judge {
    const query = readQuery(text);
    const { id, date_from = "", date_to = "9999" } = query.filters;
    return (answer) => {
      if (date_from > date_to) return void demandFailure(answer, 400, ["date_from"]);
      if (this.#mayFail(answer)) return;
      const selected = select(this.#book.payments.values(), merchantId, query.filters);
      if (id !== undefined && selected.length === 0) demandFailure(answer, 404);
      else demandSuccess(answer, listOf(selected, query));
    };
  }

  /** If commits fail, a payment past its deadline cannot be resolved; the program must fail then, and not show it as pending. */
  #mayFail(answer: Answer): boolean {
    return isInternalError(answer) && this.#book.isDisturbed;
  }

  /** Takes a possible answer to a question as the truth. */
  #learn(payment: Payment, answer: Answer): void {
    demand(answer.status === 200, `a list that was asked for is refused: ${JSON.stringify(answer.body)}`);
    const [row] = (answer.body as { transactions: unknown[] }).transactions;
    if (row !== undefined) {
      this.#book.learn(payment, row, this.nowMs());
      return;
    }
    demand(!payment.isKnown, `${payment.checkoutRequestId} was answered, and does not exist`);
    this.#book.remove(payment);
  }
}
