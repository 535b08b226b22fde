import type { Page, TransactionFilter } from "../../domain/filter.ts";
import type { ListedPage } from "./transaction-reader.ts";

/** What the thread is asked. */
export interface SearchQuestion {
  readonly file: string;
  readonly merchantId: number;
  readonly filter: TransactionFilter;
  readonly page: Page;
}

/** What it answers: to each question one, in their order. */
export type SearchAnswer = { readonly page: ListedPage } | { readonly error: unknown };

/** Searches in a thread of its own, with a connection of its own, while this one serves. */
export interface SearchThread {
  /** As a transaction reader does, at one point in time after this call. */
  read(merchantId: number, filter: TransactionFilter, page: Page): Promise<ListedPage>;
  /** Ends the thread once it is done; searches that are under way are refused at once. */
  close(): void;
}

/** @param file the database, open in this thread for as long as anything is asked */
export function createSearchThread(file: string): SearchThread {
  // It lives as long as somebody waits for it: it starts in milliseconds, and idle it would only keep memory.
  let current: ReturnType<typeof start> | undefined;

  return {
    async read(merchantId, filter, page) {
      if (current === undefined || current.hasEnded()) current = start();
      return current.ask({ file, merchantId, filter, page });
    },
    close() {
      current?.abandon();
    },
  };
}

function start() {
  const worker = new Worker(new URL("./search-worker.ts", import.meta.url));
  const waiting: PromiseWithResolvers<ListedPage>[] = [];
  let ended = false;

  worker.onmessage = ({ data: answer }: MessageEvent<SearchAnswer>) => {
    const asked = waiting.shift();
    if (waiting.length === 0) end();
    if ("page" in answer) asked?.resolve(answer.page);
    else asked?.reject(answer.error);
  };
  worker.onerror = ({ message }) => disappoint(new Error(`a search has failed: ${message}`));

  function end(): void {
    ended = true;
    worker.postMessage(null);
  }

  function disappoint(error: Error): void {
    end();
    for (const asked of waiting.splice(0)) asked.reject(error);
  }

  return {
    /** Whether it takes no more questions. */
    hasEnded: () => ended,
    ask(question: SearchQuestion): Promise<ListedPage> {
      const asked = Promise.withResolvers<ListedPage>();
      waiting.push(asked);
      worker.postMessage(question);
      return asked.promise;
    },
    abandon() {
      // What it is at is no reason for the process to wait.
      worker.unref();
      disappoint(new Error("the store is closed"));
    },
  };
}
