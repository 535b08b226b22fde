import { effect, signal } from "@preact/signals";
import { has, isNewer, type Listed, mergeNewestFirst } from "./logic/merge.ts";

/** Whether the list in view stands still, so that nothing moves under a hand. */
export const isHeld = signal(false);

/** The newest rows of a list, without gaps. While it stands still, rows change in place, and what is new waits. */
export class LiveList<Row extends Listed> {
  readonly rows = signal<readonly Row[]>([]);
  readonly waiting = signal<readonly Row[]>([]);
  /** How many rows wait at most. */
  readonly mostWaiting: number;
  readonly #stays: (row: Row) => boolean;
  /** Whether rows may be missing between those that wait and the others. */
  #isCut = false;

  /**
   * @param most how many rows are kept, if no more are shown
   * @param stays whether a row that has changed still belongs to the list
   */
  constructor(most: number, stays: (row: Row) => boolean = () => true) {
    this.mostWaiting = most;
    this.#stays = stays;
    effect(() => {
      if (!isHeld.value) this.showWaiting();
    });
  }

  replace(rows: readonly Row[]): void {
    this.rows.value = rows;
    this.waiting.value = [];
    this.#isCut = false;
  }

  add(arrived: readonly Row[]): void {
    const rows = this.rows.peek();
    const [first] = rows;
    const last = rows.at(-1);
    if (!isHeld.peek() || !first || !last) {
      this.rows.value = mergeNewestFirst(rows, arrived, this.#most).filter(this.#stays);
      return;
    }
    // Rows below the last one move nothing.
    const known = arrived.filter((row) => has(rows, row) || isNewer(last, row));
    const fresh = arrived.filter((row) => isNewer(row, first));
    this.rows.value = mergeNewestFirst(rows, known, this.#most);
    const waiting = mergeNewestFirst(this.waiting.peek(), fresh, Number.POSITIVE_INFINITY);
    if (waiting.length >= this.mostWaiting) this.#isCut = true;
    this.waiting.value = waiting.filter(this.#stays).slice(0, this.mostWaiting);
  }

  /** Shows what has changed while the list stood still. */
  showWaiting(): void {
    const waiting = this.waiting.peek();
    const rows = this.#isCut && waiting.length > 0 ? [] : this.rows.peek();
    this.replace(mergeNewestFirst(rows, waiting, this.#most).filter(this.#stays));
  }

  /** How many rows are kept: as many as are shown, because below the last one others may be missing. */
  get #most(): number {
    return Math.max(this.mostWaiting, this.rows.peek().length);
  }
}
