/** The database of the shop: which orders are paid, and what is to be delivered. It outlives the processes of the shop. */
export class Database {
  readonly #paid = new Set<string>();
  readonly #deliveries: { readonly reference: string; readonly receipt: string | null }[] = [];
  readonly #commit: () => Promise<void>;

  /** @param commit takes its time, and can fail */
  constructor(commit: () => Promise<void>) {
    this.#commit = commit;
  }

  /** Runs a transaction, unless the process has ended before its commit. */
  async transact(isAlive: () => boolean, statements: () => void): Promise<void> {
    await this.#commit();
    if (isAlive()) statements();
  }

  /** UPDATE … SET paid = true WHERE id = ? AND paid = false; whether that changed a row. */
  setPaid(reference: string): boolean {
    if (this.#paid.has(reference)) return false;
    this.#paid.add(reference);
    return true;
  }

  /** INSERT of what is to deliver. */
  deliver(reference: string, receipt: string | null): void {
    this.#deliveries.push({ reference, receipt });
  }

  isPaid(reference: string): boolean {
    return this.#paid.has(reference);
  }

  receiptsOf(reference: string): readonly (string | null)[] {
    return this.#deliveries.filter((one) => one.reference === reference).map(({ receipt }) => receipt);
  }
}
