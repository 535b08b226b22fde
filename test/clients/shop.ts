import type { Wanted } from "./draws.ts";
import type { Client, Said, SaidOrder } from "./world.ts";

/** A row of the list. */
export interface Row {
  readonly amount: number;
  readonly status: string;
  readonly momo_receipt_number: string | null;
  readonly result_code: number | null;
}

interface ShopParts {
  readonly orders: readonly Wanted[];
  readonly after: (ms: number, happen: () => void) => void;
  /** The payments that the sandbox has. */
  readonly rows: () => Promise<Row[]>;
  readonly errors: unknown[];
}

const FINAL = ["completed", "failed", "cancelled", "expired", "not_started"];
const PAGE_ASKS_MS = 5000;
const PAGE_ASKS = 24;

/** A shop that uses the client as its header says: in a script, for a page, for webhooks and in a cron. */
export class Shop {
  readonly client: Client;
  /** What the client has said of the orders, in its order. */
  readonly said: { readonly order: Wanted; readonly isFinal: boolean; readonly text: string }[] = [];
  readonly wrong: string[] = [];
  readonly #parts: ShopParts;
  readonly #pages = new Set<Wanted>();
  #isDead = false;

  constructor(client: Client, parts: ShopParts) {
    this.client = client;
    this.#parts = parts;
  }

  /** Starts an order, in the style that was drawn for it. */
  sell(order: Wanted): void {
    void (order.style === "script" ? this.pay(order) : this.#showPage(order));
  }

  async pay(order: Wanted): Promise<void> {
    await this.#call(order, "pay", order.reference, order.phone, order.amount);
  }

  /** Each minute. */
  async runCron(): Promise<void> {
    for (const { reference } of await this.#open()) {
      const order = this.#parts.orders.find((one) => one.reference === reference);
      if (order) await this.#call(order, "ask", reference);
      else this.wrong.push(`open() lists ${reference}`);
    }
  }

  /** The status of the answer to a webhook. */
  async takeWebhook({ data }: { data: { checkout_request_id: string } }): Promise<number> {
    const found = (await this.#open()).find((one) => one.checkout_request_id === data.checkout_request_id);
    const order = this.#parts.orders.find(({ reference }) => reference === found?.reference);
    if (!order) return 404;
    await this.#call(order, "ask", order.reference);
    return 200;
  }

  /** At the end, when all is settled. */
  async expectNothingOpen(): Promise<void> {
    for (const { reference, status } of await this.#open()) this.wrong.push(`open() lists ${reference}, ${status}`);
  }

  kill(): void {
    this.#isDead = true;
    this.client.kill();
  }

  async #showPage(order: Wanted): Promise<void> {
    let isFinal = await this.#call(order, "start", order.reference, order.phone, order.amount);
    if (this.#pages.has(order)) return; // it is shown
    this.#pages.add(order);
    for (let asked = 0; !isFinal && asked < PAGE_ASKS; asked += 1) {
      await new Promise<void>((resolve) => {
        this.#parts.after(PAGE_ASKS_MS, resolve);
      });
      if (this.#isDead) return;
      isFinal = await this.#call(order, "ask", order.reference);
    }
    this.#pages.delete(order);
  }

  async #open(): Promise<readonly SaidOrder[]> {
    const { orders = [], error } = await this.#try("open");
    if (error) this.wrong.push(`open() fails: ${error.kind}`);
    return orders;
  }

  /** Whether the order is final. */
  async #call(order: Wanted, name: "pay" | "start" | "ask", ...args: readonly unknown[]): Promise<boolean> {
    const { order: told, error } = await this.#try(name, ...args);
    if (error) {
      const rows = (await this.#parts.rows()).filter(({ amount }) => amount === order.amount);
      const mayBePaid = rows.some(({ status }) => status === "pending" || status === "completed");
      if (!error.mayHavePaid && mayBePaid) this.wrong.push(`${name} fails, but the customer may have paid`);
      this.said.push({ order, isFinal: false, text: `an error, ${error.kind}` });
    }
    if (!told) return false;
    const { status, receipt, result_code: code, may_have_paid: mayHavePaid = false } = told;
    const isFinal = FINAL.includes(status);
    if (isFinal === mayHavePaid)
      this.wrong.push(`${order.reference} is ${status}, and may_have_paid is ${mayHavePaid}`);
    this.said.push({ order, isFinal, text: isFinal ? [status, receipt, code].join(" ") : status });
    return isFinal;
  }

  async #try(...call: Parameters<Client["call"]>): Promise<Said> {
    try {
      return await this.client.call(...call);
    } catch (error) {
      this.#parts.errors.push(error);
      return {};
    }
  }
}
