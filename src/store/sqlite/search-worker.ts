import { openForReading } from "./database.ts";
import type { SearchAnswer, SearchQuestion } from "./search-thread.ts";
import { createTransactionReader, type TransactionReader } from "./transaction-reader.ts";

/** The thread behind search-thread.ts: answers one question after the other, and ends when it is sent null. */

declare const self: Worker;

let reader: TransactionReader | undefined;
let close = () => {};

self.onmessage = ({ data: question }: MessageEvent<SearchQuestion | null>) => {
  if (question === null) {
    close();
    process.exit(); // this thread, not the process
  } else self.postMessage(answer(question));
};

function answer({ file, merchantId, filter, page }: SearchQuestion): SearchAnswer {
  try {
    reader ??= open(file);
    return { page: reader.read(merchantId, filter, page) };
  } catch (error) {
    return { error };
  }
}

function open(file: string): TransactionReader {
  const database = openForReading(file);
  close = database.close;
  return createTransactionReader(database.client);
}
