import type { Answer, Sent, WorldEvent } from "../events.ts";
import { Book, type Payment } from "./book.ts";
import { ControlAuditor } from "./control.ts";
import { demand } from "./discrepancy.ts";
import { listOf, readQuery, select } from "./list.ts";
import { Orders } from "./orders.ts";
import { demandFailure, demandSuccess, isInternalError, onAnswer, pathOf, readObject, SameWords } from "./requests.ts";
import { Surroundings } from "./surroundings.ts";
import { statusOf } from "./views.ts";

/** Holds the answer to one request against what was foretold when it was sent. Throws a Discrepancy. */
export type Judge = (answer: Answer | "lost") => void;

export interface AuditorOptions {
  readonly form: "full" | "short";
  readonly promptTimeoutMs: number;
  /** The time outside the process. */
  readonly outsideMs: () => number;
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
  readonly #form: "full" | "short";
  readonly #book = new Book();
  readonly #around: Surroundings;
  readonly #orders: Orders;
  readonly #control: ControlAuditor;
  readonly #credentialWords = new SameWords("credentials that open nothing");
  readonly #statusWords = new SameWords("a payment that is not one's own");

  constructor({ form, promptTimeoutMs, outsideMs }: AuditorOptions) {
    this.#form = form;
    this.#around = new Surroundings(outsideMs);
    this.#orders = new Orders(this.#around, this.#book, promptTimeoutMs);
    this.#control = new ControlAuditor(this.#around, this.#book, this.#orders);
  }

  /** What the process's clock must show. */
  nowMs(): number {
    return this.#around.nowMs();
  }

  hear(event: WorldEvent): void {
    switch (event.kind) {
      case "push":
        this.#orders.hear(event);
        break;
      case "asked":
      case "heard":
      case "said":
        this.#book.hear(event);
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

  /** To be called when a request is sent; what it returns, when it is answered. */
  sending(sent: Sent): Judge {
    const { path, query } = pathOf(sent);
    if (path.startsWith("/_momo/")) return this.#control.sending(sent);
    const method = OPERATIONS[path];
    if (method === undefined) return onAnswer((answer) => demandFailure(answer, 404));
    if (sent.method !== method) {
      return onAnswer((answer) => {
        demandFailure(answer, 405);
        demand(answer.allow === method, `405 allows ${answer.allow}`);
      });
    }
    const merchantId = this.#around.whoseKey(sent.headers["X-API-Key"], sent.headers["X-API-Secret"]);
    if (merchantId === null) return onAnswer((answer) => this.#credentialWords.hold(demandFailure(answer, 401)));
    if (path === "/v2/transactions.php") return this.#listJudge(merchantId, query);
    const body = readObject(sent);
    if (body === null) return onAnswer((answer) => demandFailure(answer, 400));
    if (path === "/v2/status.php") return this.#statusJudge(merchantId, body);
    const instruction = sent.headers["X-Sandbox-Outcome"] ?? null;
    return this.#orders.sending({ merchantId, kind: "api", body, instruction, form: this.#form });
  }

  /** A key that another process has revoked. */
  revoked(apiKey: string): void {
    this.#around.keys.delete(apiKey);
  }

  /** The process is at rest: all that is due must be done. */
  rest(): void {
    this.#book.rest(this.nowMs());
  }

  /** A request whose answer makes one thing certain that nobody can foretell; null where everything is certain. */
  question(): { readonly sent: Sent; readonly judge: Judge } | null {
    for (const payment of this.#book.payments.values()) {
      if (!this.#book.isUncertain(payment, this.nowMs())) continue;
      const headers = this.#around.keyOf(payment.merchantId);
      const target = `/v2/transactions.php?search=${payment.checkoutRequestId}`;
      const sent = { method: "GET", target, headers, body: null };
      return { sent, judge: onAnswer((answer) => this.#learn(payment, answer)) };
    }
    this.#book.looked();
    return null;
  }

  /** The last instant at which something is still to happen. */
  lastDeadlineMs(): number {
    return Math.max(0, ...[...this.#book.payments.values()].map(({ deadlineMs }) => deadlineMs));
  }

  /** When time has passed beyond every deadline, in fair weather. */
  demandAllFinal(): void {
    for (const { end, checkoutRequestId } of this.#book.payments.values()) {
      demand(end !== null, `${checkoutRequestId} is still pending when everything should have ended`);
    }
  }

  get paymentCount(): number {
    return this.#book.payments.size;
  }

  #processEnded(): void {
    this.#around.processEnded();
    this.#book.processEnded();
    this.#orders.processEnded();
  }

  #statusJudge(merchantId: number, body: Record<string, unknown>): Judge {
    const id = body.checkout_request_id;
    if (typeof id !== "string" || id === "" || id.length > 100) {
      return onAnswer((answer) => demandFailure(answer, 400, ["checkout_request_id"]));
    }
    const payment = this.#book.payments.get(id);
    if (payment?.merchantId !== merchantId) {
      return onAnswer((answer) => this.#statusWords.hold(demandFailure(answer, 404)));
    }
    return onAnswer((answer) => {
      if (this.#mayFail(answer)) return;
      this.#book.see(payment, demandSuccess(answer, statusOf(payment, this.#form)));
    });
  }

  #listJudge(merchantId: number, text: string): Judge {
    const query = readQuery(text);
    if ("wrong" in query) return onAnswer((answer) => demandFailure(answer, 400, query.wrong));
    return onAnswer((answer) => {
      if (this.#mayFail(answer)) return;
      const selected = select(this.#book.payments.values(), merchantId, query.filters);
      if (query.filters.id !== undefined && selected.length === 0) demandFailure(answer, 404);
      else demandSuccess(answer, listOf(selected, query, this.#form));
    });
  }

  /** Where a commit fails, what is past its deadline cannot be resolved, and is not told to be pending. */
  #mayFail(answer: Answer): boolean {
    return isInternalError(answer) && this.#book.isDisturbed;
  }

  /** Takes the answer to a question as the truth, where it is one that can be. */
  #learn(payment: Payment, answer: Answer): void {
    demand(answer.status === 200, `a list that was asked for is refused: ${JSON.stringify(answer.body)}`);
    const body = answer.body as Record<string, unknown>;
    const [row] = (this.#form === "full" ? body.transactions : body.data) as unknown[];
    if (row !== undefined) {
      this.#book.learn(payment, row, this.#form, this.nowMs());
      return;
    }
    demand(!payment.isKnown, `${payment.checkoutRequestId} was answered, and does not exist`);
    this.#book.remove(payment);
  }
}
