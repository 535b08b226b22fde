import type { Answer, Sent } from "../events.ts";
import type { Judge } from "./auditor.ts";
import type { Book, End, Payment } from "./book.ts";
import { bodyOf, demandFailure, demandSuccess, isInternalError, pathOf } from "./list.ts";
import type { Orders } from "./orders.ts";
import { afterOf, announcement, durationMs, outcomeOfPin, type PredictedRule } from "./prediction.ts";
import { demand, type Environment, inNairobi, rowOf, someNumber, someText, toKes } from "./views.ts";

/** Predicts the answers of the control API, `/_momo`. */
export class ControlAuditor {
  readonly #environment: Environment;
  readonly #book: Book;
  readonly #orders: Orders;

  constructor(environment: Environment, book: Book, orders: Orders) {
    this.#environment = environment;
    this.#book = book;
    this.#orders = orders;
  }

  sending(sent: Sent): Judge {
    const judge = this.#judge(sent);
    return (answer) => {
      if (isInternalError(answer) && this.#book.isDisturbed) this.lost(sent);
      else judge(answer);
    };
  }

  #judge(sent: Sent): Judge {
    const { path } = pathOf(sent);
    const body = bodyOf(sent);
    const id = /^\/_momo\/prompts\/([^/]+)\/answer$/.exec(path)?.[1];
    if (id !== undefined) return (answer) => this.#judgeAnswer(id, body, answer);
    switch (`${sent.method} ${path}`) {
      case "POST /_momo/merchants":
        return (answer) => void demandSuccess(answer, { id: someNumber, name: body.name });
      case "POST /_momo/accounts":
        return (answer) => {
          const { merchant_id, name, fee } = body;
          const { id } = demandSuccess(answer, { id: someNumber, merchant_id, name, fee });
          demand(!this.#environment.accounts.has(Number(id)), `there is a payment account ${id} already`);
          this.#environment.accounts.set(Number(id), { merchantId: Number(merchant_id), tariff: String(fee) });
        };
      case "POST /_momo/keys":
        return (answer) => {
          const { merchant_id, label } = body;
          const made = demandSuccess(answer, { api_key: someText, api_secret: someText, merchant_id, label });
          demand(/^mk_/.test(String(made.api_key)) && /^ms_/.test(String(made.api_secret)), "a key of another shape");
          this.#environment.keys.set(String(made.api_key), {
            secret: String(made.api_secret),
            merchantId: Number(merchant_id),
          });
        };
      case "POST /_momo/payments":
        return this.#paymentJudge(body);
      case "POST /_momo/rules":
      case "PUT /_momo/rules":
      case "DELETE /_momo/rules":
      case "GET /_momo/rules":
        return this.#rulesJudge(sent);
      case "PUT /_momo/default":
        return (answer) => {
          const outcome = String(body.outcome);
          const chosen = { outcome, ...(body.after !== undefined && { after: String(body.after) }) };
          demandSuccess(answer, { outcome, after: chosen.after ?? afterOf(outcome), chosen });
          this.#environment.byDefault = chosen;
        };
      case "GET /_momo/clock":
      case "POST /_momo/clock":
        return this.#clockJudge(body);
      case "GET /_momo/prompts":
        return (answer) => this.#judgePrompts(answer);
      case "POST /_momo/reset":
        this.#orders.resetting();
        return (answer) => {
          demandSuccess(answer, {});
          this.#book.forgetAll();
          this.#environment.processEnded();
          this.#environment.clock = { aheadMs: 0 };
        };
      default:
        throw new Error(`nothing is predicted for ${path}`);
    }
  }

  /** A call without an answer may have had its effect. */
  lost(sent: Sent): void {
    const id = /^\/_momo\/prompts\/([^/]+)\/answer$/.exec(sent.target)?.[1];
    const payment = id === undefined ? undefined : this.#book.payments.get(id);
    const end = payment && this.#endBy(payment, bodyOf(sent));
    if (payment && end) this.#book.mayHaveBeenAnswered(payment, end);
    if (sent.target === "/_momo/reset") for (const one of this.#book.payments.values()) one.isKnown = false;
  }

  /** The owner of the account orders. */
  #paymentJudge({ kind, outcome, ...order }: Record<string, unknown>): Judge {
    const merchantId = this.#environment.accounts.get(Number(order.payment_account_id))?.merchantId ?? 0;
    const instruction = outcome === undefined ? null : String(outcome);
    return this.#orders.sending({ merchantId, kind: String(kind), body: order, instruction });
  }

  #rulesJudge(sent: Sent): Judge {
    const given = sent.body === null ? [] : ([JSON.parse(sent.body)].flat() as PredictedRule[]);
    return (answer) => {
      const next = given.map((rule) => ({ ...rule, id: this.#environment.newRuleId() }));
      if (sent.method === "POST") this.#environment.rules.push(...next);
      if (sent.method === "PUT" || sent.method === "DELETE") this.#environment.rules = next;
      const rules = this.#environment.rules.map((rule) => ({ ...rule, match: matchView(rule.match) }));
      const ids = next.map(({ id }) => id);
      const added = { ids, ...(ids.length === 1 && { id: ids[0] }) };
      demandSuccess(answer, { ...(sent.method === "POST" && added), rules });
    };
  }

  /** The clock moves when the call arrives; what becomes due is resolved before the answer. */
  #clockJudge({ freeze, advance, resume }: Record<string, unknown>): Judge {
    const environment = this.#environment;
    if (freeze !== undefined) environment.clock = { frozenAtMs: environment.nowMs() };
    const advanceMs = advance === undefined ? 0 : (durationMs(advance) ?? 0);
    environment.clock =
      "frozenAtMs" in environment.clock
        ? { frozenAtMs: environment.clock.frozenAtMs + advanceMs }
        : { aheadMs: environment.clock.aheadMs + advanceMs };
    if (resume !== undefined) environment.clock = { aheadMs: environment.nowMs() - environment.outsideMs() };
    const nowMs = environment.nowMs();
    const frozen = "frozenAtMs" in environment.clock;
    return (answer) => void demandSuccess(answer, { now: inNairobi(nowMs), now_ms: nowMs, frozen });
  }

  #judgePrompts(answer: Answer): void {
    const open = [...this.#book.payments.values()].filter(({ end }) => end === null);
    const shown = (answer.body as { prompts: { checkout_request_id: string }[] }).prompts;
    demandSuccess(answer, { total: open.length, prompts: shown });
    const expected = open.map(({ checkoutRequestId }) => checkoutRequestId).sort();
    const ids = shown.map(({ checkout_request_id }) => checkout_request_id);
    demand(String([...ids].sort()) === String(expected), `open prompts are ${ids}, not ${expected}`);
    for (const prompt of shown as Record<string, unknown>[]) {
      const payment = this.#book.payments.get(String(prompt.checkout_request_id));
      demand(prompt.amount === toKes(payment?.amountCents ?? 0), "a prompt shows another amount");
      demand(prompt.phone === payment?.phone, "a prompt shows another phone");
      demand(prompt.expires_at_ms === payment?.deadlineMs, "a prompt shows another deadline");
    }
  }

  /** An answer by hand is stored before the call returns; 409 if the payment is final. */
  #judgeAnswer(id: string, body: Record<string, unknown>, answer: Answer): void {
    const payment = this.#book.payments.get(id);
    if (!payment) return void demandFailure(answer, 404);
    const end = this.#endBy(payment, body);
    if (end === null && answer.status === 400) return void demandFailure(answer, 400);
    const isOver = payment.end !== null || this.#environment.nowMs() >= payment.deadlineMs;
    if (isOver) {
      // An answer after the deadline lets the payment expire.
      this.#book.rest(this.#environment.nowMs());
      return void demandFailure(answer, 409);
    }
    if (end === null) return void demandFailure(answer, 400);
    payment.end = end;
    payment.said = [];
    const transaction = rowOf(payment, end);
    const sms = end.paidAtMs === null ? null : someText;
    const shown = demandSuccess(answer, { transaction, sms }).transaction as Record<string, unknown>;
    this.#book.see(payment, shown);
  }

  #endBy(payment: Payment, { pin, outcome }: Record<string, unknown>): End | null {
    const name = pin === undefined ? String(outcome) : outcomeOfPin(String(pin), payment.amountCents);
    const announced = announcement(name);
    const paidAtMs = announced?.status === "completed" ? this.#environment.nowMs() : null;
    return announced && { ...announced, paidAtMs, receipt: null };
  }
}

function matchView({ phone, ...match }: PredictedRule["match"]): object {
  return { ...(phone !== undefined && { phone: `254${phone.slice(-9)}` }), ...match };
}
