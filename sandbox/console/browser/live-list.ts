import { effect, signal } from "@preact/signals";
import { has, isNewer, type Listed, mergeNewestFirst } from "./logic/merge.ts";

/** Whether the list in view stands still, so that nothing moves under a hand. */
export const isHeld = signal(false);

/** The newest rows of a list, without gaps. While it stands still, rows change in place, and what is new waits. */
export class LiveList<Row extends Listed> {
  readonly rows = signal<readonly Row[]>([]);
  readonly waiting = signal<readonly Row[]>([]);
  /** How many rows are kept. */
  most: number;
  /** How many rows wait at most. */
  readonly mostWaiting: number;
  readonly #stays: (row: Row) => boolean;

  /** @param stays whether a row that has changed still belongs to the list */
  constructor(most: number, stays: (row: Row) => boolean = () => true) {
    this.most = most;
    this.mostWaiting = most;
    this.#stays = stays;
    effect(() => {
      if (!isHeld.value) this.showWaiting();
    });
  }

  replace(rows: readonly Row[]): void {
    this.rows.value = rows;
    this.waiting.value = [];
  }

  add(arrived: readonly Row[]): void {
    const rows = this.rows.peek();
    const [first] = rows;
    const last = rows.at(-1);
    if (!isHeld.peek() || !first || !last) {
      this.rows.value = this.#merged(rows, arrived, this.most);
      return;
    }
    // Rows below the last one move nothing.
    const known = arrived.filter((row) => has(rows, row) || isNewer(last, row));
    const fresh = arrived.filter((row) => isNewer(row, first));
    this.rows.value = mergeNewestFirst(rows, known, this.most);
    this.waiting.value = this.#merged(this.waiting.peek(), fresh, this.mostWaiting);
  }

  /** Shows what has changed while the list stood still. */
  showWaiting(): void {
    const waiting = this.waiting.peek();
    // If no more can wait, some have been dropped, and the rows below would not follow the others.
    const isCut = waiting.length >= this.mostWaiting;
    if (isCut) this.most = this.mostWaiting;
    this.replace(this.#merged(isCut ? [] : this.rows.peek(), waiting, this.most));
  }

  #merged = (rows: readonly Row[], arrived: readonly Row[], most: number): Row[] =>
    mergeNewestFirst(rows, arrived, most).filter(this.#stays);
}
