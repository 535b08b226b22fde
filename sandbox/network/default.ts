import type { Choice } from "./choice.ts";

/**
 * The default: what prompts do if nothing else decides. It is kept in memory; decisions are stored with the transactions.
 */
export interface Default {
  readonly choice: Choice;
  replace(choice: Choice): void;
  /** As the server was started. */
  restore(): void;
}

export function createDefault(start: Choice): Default {
  let choice = start;
  return {
    get choice() {
      return choice;
    },
    replace(next) {
      choice = next;
    },
    restore() {
      choice = start;
    },
  };
}
