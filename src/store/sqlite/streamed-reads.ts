import type { Database } from "bun:sqlite";
import { type OpenDatabase, openForReading } from "./database.ts";
import { nextTurn } from "./long-reads.ts";

/** Reads whose parts the caller takes one by one, each at one point in time and on a connection of its own. */
export class StreamedReads {
  readonly #file: string;
  readonly #assertFileInPlace: () => void;
  readonly #open = new Set<OpenDatabase>();
  #isClosed = false;

  /** @param assertFileInPlace throws if another file is in the place of this one */
  constructor(file: string, assertFileInPlace: () => void) {
    this.#file = file;
    this.#assertFileInPlace = assertFileInPlace;
  }

  /** The end of the generator closes the connection. */
  async *run<T>(read: (client: Database) => Generator<T>): AsyncGenerator<T> {
    this.#requireOpen();
    const own = openForReading(this.#file);
    this.#open.add(own);
    try {
      this.#assertFileInPlace();
      own.client.run("BEGIN");
      for (const part of read(own.client)) {
        yield part;
        await nextTurn();
        this.#requireOpen();
      }
    } finally {
      if (this.#open.delete(own)) own.close();
    }
  }

  /** Reads that have not ended reject when their next part is asked for. */
  close(): void {
    this.#isClosed = true;
    for (const own of this.#open) own.close();
    this.#open.clear();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error("the store was closed");
  }
}
