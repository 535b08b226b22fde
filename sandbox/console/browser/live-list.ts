import { computed, effect, signal } from "@preact/signals";
import { isNewer, type Listed } from "./logic/merge.ts";

/** Whether the list in view stands still, so that nothing moves under a hand. */
export const isHeld = signal(false);

/** The newest rows, and those that are shown. While the list stands still, rows change in place, and what is new waits. */
export class LiveList<Row extends Listed> {
  readonly newest = signal<readonly Row[]>([]);
  readonly rows = signal<readonly Row[]>([]);
  readonly waiting = computed(() => {
    const [first] = this.rows.value;
    return first ? this.newest.value.filter((row) => isNewer(row, first)) : [];
  });

  constructor() {
    effect(() => {
      const newest = this.newest.value;
      const shown = this.rows.peek();
      if (!isHeld.value || shown.length === 0) this.rows.value = withOpened(newest, shown);
    });
  }

  /** Shows other rows, also while the list stands still. */
  replace(rows: readonly Row[]): void {
    this.newest.value = rows;
    this.rows.value = rows;
  }

  /** Changes rows in place. Rows that the list does not have are ignored. */
  change(changed: readonly Row[]): void {
    const byId = new Map(changed.map((row) => [row.id, row]));
    const now = (row: Row) => byId.get(row.id) ?? row;
    const rows = this.rows.peek();
    this.newest.value = this.newest.peek().map(now);
    this.rows.value = rows.map(now);
  }

  showWaiting(): void {
    this.rows.value = this.newest.peek();
  }
}

/** The newest rows, and those that were opened below them: as many as were shown. None if rows between them are missing. */
function withOpened<Row extends Listed>(newest: readonly Row[], shown: readonly Row[]): readonly Row[] {
  const last = newest.at(-1);
  if (!last || shown.length <= newest.length || !shown.some(({ id }) => id === last.id)) return newest;
  return [...newest, ...shown.filter((row) => isNewer(last, row))].slice(0, shown.length);
}
