import type { Choice } from "./choice.ts";

export type Default = ReturnType<typeof createDefault>;

/** The default: what prompts do if nothing else decides. It is kept in memory; decisions are stored with the transactions. */
export function createDefault(start: Choice) {
  let choice = start;
  return {
    get choice() {
      return choice;
    },
    save: () => choice,
    load(next: Choice): void {
      choice = next;
    },
    /** As the server was started. */
    reset(): void {
      choice = start;
    },
  };
}
