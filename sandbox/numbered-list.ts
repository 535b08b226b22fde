import { invalid, Refusal, shown } from "../src/domain/error.ts";

/** As it is sent. The id of an item in force keeps it; any other one is ignored. */
interface Item {
  readonly id?: number | undefined;
  readonly times?: number | undefined;
}

export type Numbered<T> = T & { readonly id: number };

/** Where items are added: before all others, or before the one with this id. */
export type Place = "first" | number;

export interface SavedList<T> {
  readonly items: readonly Numbered<T>[];
  readonly lastId: number;
}

/** How many ids a refusal names. */
const MOST_NAMED = 20;

/** The id comes first, where people see it. */
const numbered = <T extends Item>({ id: _, ...item }: T, id: number) => ({ id, ...item }) as unknown as Numbered<T>;

/** The rules or the faults, in order. Each has an id, so that several clients can change the list at once. */
export class NumberedList<T extends Item> {
  #items: readonly Numbered<T>[] = [];
  /** No id comes again before a reset: what a client removes is what it has seen. */
  #lastId = 0;

  /**
   * @param what an item is called
   * @param most how many there can be
   */
  constructor(
    readonly what: string,
    readonly most: number,
  ) {}

  get items(): readonly Numbered<T>[] {
    return this.#items;
  }

  /**
   * @param place by default, they come after all others
   * @returns their ids
   * @throws Refusal `invalid` if there would be too many, `not_found` if no item has the id
   */
  add(items: readonly T[], place?: Place): number[] {
    const before = this.#items.slice(0, this.#indexOf(place));
    const added = items.map((item, index) => numbered(item, this.#lastId + index + 1));
    this.#set([...before, ...added, ...this.#items.slice(before.length)]);
    return added.map(({ id }) => id);
  }

  /** @throws Refusal `invalid` if there are too many */
  replace(items: readonly T[]): void {
    const free = new Set(this.#items.map(({ id }) => id));
    let lastId = this.#lastId;
    const idOf = (given: number | undefined) => {
      if (given !== undefined && free.delete(given)) return given;
      lastId += 1;
      return lastId;
    };
    this.#set(items.map((item) => numbered(item, idOf(item.id))));
  }

  /**
   * @param name the id as text
   * @throws Refusal `not_found`
   */
  remove(name: string): number {
    const gone = this.#items.find(({ id }) => String(id) === name);
    if (!gone) throw this.#missing(name);
    this.#items = this.#items.filter((item) => item !== gone);
    return gone.id;
  }

  #indexOf(place: Place | undefined): number {
    if (place === undefined) return this.#items.length;
    const index = place === "first" ? 0 : this.#items.findIndex(({ id }) => id === place);
    if (index < 0) throw this.#missing(String(place));
    return index;
  }

  #missing(name: string): Refusal {
    return new Refusal("not_found", `there is no ${this.what} with the id ${shown(name)}; ${this.#inForce()}`);
  }

  #inForce(): string {
    const ids = this.#items.slice(0, MOST_NAMED).map(({ id }) => id);
    if (ids.length === 0) return `no ${this.what} is in force`;
    return `in force: ${ids.join(", ")}${this.#items.length > MOST_NAMED ? ", and more" : ""}`;
  }

  clear(): void {
    this.#items = [];
  }

  /** Uses up one of the times of an item, and removes it at zero. @returns whether it has times */
  use({ id, times }: Numbered<T>): boolean {
    if (times === undefined) return false;
    this.#items = this.#items.flatMap((item) => {
      if (item.id !== id) return [item];
      return times > 1 ? [{ ...item, times: times - 1 }] : [];
    });
    return true;
  }

  #set(items: readonly Numbered<T>[]): void {
    if (items.length > this.most) throw invalid(`there can be at most ${this.most} ${this.what}s`);
    this.#items = items;
    this.#lastId = Math.max(this.#lastId, ...items.map(({ id }) => id));
  }

  save(): SavedList<T> {
    return { items: this.#items, lastId: this.#lastId };
  }

  load({ items, lastId }: SavedList<T>): void {
    this.#items = items;
    this.#lastId = lastId;
  }

  /** As at the start: the ids begin again. */
  reset(): void {
    this.load({ items: [], lastId: 0 });
  }
}
