/**
 * What clients were answered, compared with what is stored and told: for the trials by crashes, by fail-overs and by simulated
 * histories. It shares no code with momo, and imports nothing.
 */

export function demand(so: boolean, otherwise: () => string): asserts so {
  if (!so) throw new Error(otherwise());
}

/** How many payments were told once, more often and never, by webhooks or events. */
export interface Told {
  readonly once: number;
  readonly more: number;
  readonly never: number;
}

/** Counts how often something tells of each payment. */
export class Tellings {
  readonly #times = new Map<number, number>();

  add(id: number): void {
    this.#times.set(id, (this.#times.get(id) ?? 0) + 1);
  }

  of(ids: readonly number[]): Told {
    const times = ids.map((id) => this.#times.get(id) ?? 0);
    const [once, never] = [1, 0].map((n) => times.filter((count) => count === n).length) as [number, number];
    return { once, more: ids.length - once - never, never };
  }
}

/**
 * Compares stored payments with the numbers in their answers, each by what its client gave it alone.
 * @returns the keys of those that are missing, stored twice, or stored under another number
 */
export function compare<Key, Id>(answered: ReadonlyMap<Key, Id>, stored: readonly (readonly [Key, Id])[]) {
  const ids = new Map<Key, Id[]>();
  for (const [key, id] of stored) ids.set(key, [...(ids.get(key) ?? []), id]);
  const isRenumbered = ([key, id]: [Key, Id]) => ids.get(key)?.includes(id) === false;
  return {
    lost: [...answered.keys()].filter((key) => !ids.has(key)),
    doubled: [...ids].filter(([, all]) => all.length > 1).map(([key]) => key),
    renumbered: [...answered].filter(isRenumbered).map(([key]) => key),
  };
}

/** The owner of each number: ids, codes and receipts, which no other payment may ever have. */
export class Numbers {
  readonly #owners = new Map<string, string | number>();

  /** @throws an error if another payment has or had this number */
  claim(what: string, value: string | number, owner: string | number): void {
    const key = `${what} ${value}`;
    const other = this.#owners.get(key) ?? owner;
    demand(other === owner, () => `${owner} and ${other} have the same ${what}, ${value}`);
    this.#owners.set(key, owner);
  }

  /** Frees the numbers of one owner, or of one sort. */
  free(isFree: (owner: string | number, number: string) => boolean): void {
    for (const [key, owner] of this.#owners) if (isFree(owner, key)) this.#owners.delete(key);
  }
}
