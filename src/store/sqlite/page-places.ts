import type { Database } from "bun:sqlite";
import { firstOf } from "./database.ts";
import type { Place } from "./stretches.ts";

/** The thousand pages of a client that reads 100,000 payments. Each takes 200 bytes. */
const MOST = 1000;

/** Where pages ended, so that the next page begins there, and skips no rows. */
export class PagePlaces {
  readonly #client: Database;
  readonly #places = new Map<string, Place>();
  #version: unknown;

  /** @param client a connection that only reads: its `data_version` changes with each commit of the others */
  constructor(client: Database) {
    this.#client = client;
  }

  /**
   * Call it in a transaction, before {@link keep}.
   * @param pages what the pages are of: the merchant and the filter
   * @param offset how many rows come before the page
   * @returns the last of these rows, if it is known and nothing was stored since
   */
  find(pages: string, offset: number): Place | undefined {
    const version = firstOf(this.#client, "PRAGMA data_version");
    if (version !== this.#version) this.#places.clear();
    this.#version = version;
    return this.#places.get(`${pages} ${offset}`);
  }

  keep(pages: string, offset: number, last: Place): void {
    const [oldest] = this.#places.keys();
    if (oldest !== undefined && this.#places.size === MOST) this.#places.delete(oldest);
    this.#places.set(`${pages} ${offset}`, last);
  }
}
