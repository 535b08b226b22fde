import type { Database } from "./database.ts";
import type { Wanted } from "./draws.ts";
import type { Client, Said, SaidOrder } from "./world.ts";

/** A row of the list. */
export interface Row {
  readonly amount: number;
  readonly status: string;
  readonly momo_receipt_number: string | null;
  readonly result_code: number | null;
}

/** What the client has said of an order. */
interface Sentence {
  readonly order: Wanted;
  readonly isFinal: boolean;
  readonly isError: boolean;
  readonly text: string;
}

export interface ShopParts {
  readonly orders: readonly Wanted[];
  readonly database: Database;
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
  readonly said: Sentence[] = [];
  readonly wrong: string[] = [];
  protected readonly parts: ShopParts;
  /** The orders for which a page or a script asks. One is enough: two would ask too often. */
  readonly #asked = new Set<Wanted>();
  #isDead = false;

  constructor(client: Client, parts: ShopParts) {
    this.client = client;
    this.parts = parts;
  }

  /** Starts an order, in the style that was drawn for it. */
  sell(order: Wanted): void {
    void (order.style === "script" ? this.pay(order) : this.#showPage(order));
  }

  async pay(order: Wanted): Promise<void> {
    if (this.#asked.has(order)) await this.#call(order, "start", order.reference, order.phone, order.amount);
    else await this.#askFor(order, () => this.#call(order, "pay", order.reference, order.phone, order.amount));
  }

  /** Each minute. */
  async runCron(): Promise<void> {
    for (const reference of await this.unpaid()) {
      const order = this.parts.orders.find((one) => one.reference === reference);
      if (order) await this.#call(order, "ask", reference);
    }
  }

  /** The orders for which the cron asks: those of the shop's database. */
  protected async unpaid(): Promise<readonly string[]> {
    return this.parts.orders.map(({ reference }) => reference).filter((one) => !this.parts.database.isPaid(one));
  }

  /** Books a paid order, in a transaction. */
  protected book({ reference, receipt }: SaidOrder): void {
    if (this.parts.database.setPaid(reference)) this.parts.database.deliver(reference, receipt);
  }

  /** The status of the answer to a webhook. */
  async takeWebhook({ data }: { data: { checkout_request_id: string } }): Promise<number> {
    const found = (await this.open()).find((one) => one.checkout_request_id === data.checkout_request_id);
    const order = this.parts.orders.find(({ reference }) => reference === found?.reference);
    if (!order) return 404;
    await this.#call(order, "ask", order.reference);
    return 200;
  }

  /** At the end, when each order is final. */
  async expectNothingOpen(): Promise<void> {
    for (const { reference, status } of await this.open()) this.wrong.push(`open() lists ${reference}, ${status}`);
  }

  kill(): void {
    this.#isDead = true;
    this.client.kill();
  }

  async #showPage(order: Wanted): Promise<void> {
    let isFinal = await this.#call(order, "start", order.reference, order.phone, order.amount);
    if (this.#asked.has(order)) return;
    await this.#askFor(order, async () => {
      for (let asked = 0; !isFinal && asked < PAGE_ASKS; asked += 1) {
        await new Promise<void>((resolve) => {
          this.parts.after(PAGE_ASKS_MS, resolve);
        });
        if (this.#isDead) return;
        isFinal = await this.#call(order, "ask", order.reference);
      }
    });
  }

  async #askFor(order: Wanted, ask: () => Promise<unknown>): Promise<void> {
    this.#asked.add(order);
    await ask();
    this.#asked.delete(order);
  }

  protected async open(): Promise<readonly SaidOrder[]> {
    const { orders = [], error } = await this.#try("open");
    if (error) this.wrong.push(`open() fails: ${error.kind}`);
    return orders;
  }

  /** Whether the order is final. */
  async #call(order: Wanted, name: "pay" | "start" | "ask", ...args: readonly unknown[]): Promise<boolean> {
    const { order: told, error } = await this.#try(name, ...args);
    if (error) {
      const rows = (await this.parts.rows()).filter(({ amount }) => amount === order.amount);
      const mayBePaid = rows.some(({ status }) => status === "pending" || status === "completed");
      if (!error.mayHavePaid && mayBePaid) this.wrong.push(`${name} fails, but the customer may have paid`);
      this.said.push({ order, isFinal: false, isError: true, text: `an error, ${error.kind}` });
    }
    if (!told) return false;
    const { status, receipt, result_code: code, may_have_paid: mayHavePaid = false } = told;
    const isFinal = FINAL.includes(status);
    if (isFinal === mayHavePaid)
      this.wrong.push(`${order.reference} is ${status}, and may_have_paid is ${mayHavePaid}`);
    this.said.push({ order, isFinal, isError: false, text: isFinal ? [status, receipt, code].join(" ") : status });
    if (status === "completed") await this.#bookPaid(told);
    return isFinal;
  }

  async #bookPaid(told: SaidOrder): Promise<void> {
    try {
      await this.parts.database.transact(
        () => !this.#isDead,
        () => this.book(told),
      );
    } catch {
      // The database fails: the cron asks again.
    }
  }

  async #try(...call: Parameters<Client["call"]>): Promise<Said> {
    try {
      return await this.client.call(...call);
    } catch (error) {
      this.parts.errors.push(error);
      return {};
    }
  }
}
