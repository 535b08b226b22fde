import { Refusal } from "../domain/error.ts";
import type { TransactionFilter } from "../domain/filters.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { TransactionList } from "../store/store.ts";

/** Each has a connection, and keeps its point in time in the database until its client has read it. */
const MOST_EXPORTS = 2;

/** Reads all transactions that a filter selects, as far as their client takes them. */
export class Exports {
  readonly #list: TransactionList;
  readonly #catchUp: () => Promise<void>;
  #count = 0;

  /** @param catchUp resolves what is due */
  constructor(list: TransactionList, catchUp: () => Promise<void>) {
    this.#list = list;
    this.#catchUp = catchUp;
  }

  /**
   * A merchant's transactions in small parts, as `readAll` of the store reads them. End the generator.
   * @throws Refusal `unavailable`, with the first part, if {@link MOST_EXPORTS} others have not ended
   */
  async *read(merchantId: number, filter: TransactionFilter): AsyncGenerator<readonly Transaction[]> {
    if (this.#count >= MOST_EXPORTS) {
      throw new Refusal("unavailable", `${MOST_EXPORTS} exports are under way already: try again when one has ended`);
    }
    this.#count += 1;
    try {
      await this.#catchUp();
      yield* this.#list.readAll(merchantId, filter);
    } finally {
      this.#count -= 1;
    }
  }
}
