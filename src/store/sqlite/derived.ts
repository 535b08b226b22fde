import type { Database } from "bun:sqlite";
import { putInOrder } from "./order.ts";
import { areTotalsTrue, recount } from "./totals.ts";
import { areWordsTrue, collectWords } from "./words.ts";

/** What is stored besides the rows, and can be made from them: the order of the ids, the totals and the words. */

/** Call it in a transaction. */
export function deriveAgain(client: Database): void {
  putInOrder(client);
  recount(client);
  collectWords(client);
}

/** Whether the totals equal a full count, and the words are those of the rows. */
export const isDerivedTrue = (client: Database): boolean => areTotalsTrue(client) && areWordsTrue(client);
