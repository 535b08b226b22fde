import type { Choice } from "./choice.ts";

/** What prompts do where nothing else decides. It lives as long as the process; what it decided lives with the transactions. */
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
