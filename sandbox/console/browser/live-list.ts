import { computed, effect, type Signal, signal } from "@preact/signals";

/** Lists, newest first. */

export interface Listed {
  readonly id: number;
  readonly created_at?: string;
}

/** In the order of the server: by time, then by id. Replicas that share a store do not give ids in the order of time. */
export function isNewer(one: Listed, other: Listed): boolean {
  const time = one.created_at ?? "";
  const otherTime = other.created_at ?? "";
  return time === otherTime ? one.id > other.id : time > otherTime;
}

/** The rows of both lists, each once. @param most the bound: beyond it, the oldest rows are dropped */
export function mergeNewestFirst<T extends Listed>(rows: readonly T[], arrived: readonly T[], most: number): T[] {
  const byId = new Map([...rows, ...arrived].map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) => (isNewer(one, other) ? -1 : 1)).slice(0, most);
}

/** Whether the list in view stands still, so that nothing moves under a hand. */
export const isHeld = signal(false);

/** The newest rows, and those that are shown. While the list stands still, rows change in place, and what is new waits. */
export class LiveList<Row extends Listed> {
  readonly rows = signal<readonly Row[]>([]);
  readonly waiting = computed(() => {
    const [first] = this.rows.value;
    return first ? this.newest.value.filter((row) => isNewer(row, first)) : [];
  });

  constructor(readonly newest: Signal<readonly Row[]>) {
    effect(() => {
      const shown = this.rows.peek();
      const rows = withOpened(newest.value, shown);
      if (!isHeld.value || shown.length === 0) this.rows.value = rows;
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
