/** A page of the list (§2.3). */
export interface Page {
  /** From 1. */
  readonly number: number;
  /** 1 to 100 (§8). */
  readonly limit: number;
}

export const MAX_PAGE_LIMIT = 100;
export const DEFAULT_PAGE: Page = { number: 1, limit: 10 };

/** What stands between the parts of a reference, such as `INV-2026/17`; the space is the last. */
export const REFERENCE_SEPARATORS = [..."-/_.:# "];

/** Counts and the sum of all transactions that a filter selects (§2.4). */
export interface Summary {
  readonly totalItems: number;
  readonly completedAmountCents: number;
  readonly completedCount: number;
  readonly pendingCount: number;
  readonly failedCount: number;
  readonly cancelledCount: number;
  readonly expiredCount: number;
}

/**
 * Text without its letter case, for comparisons. Upper case, because lower case depends on the neighbours of a letter (a final
 * sigma): the start of a text would not fold like the text.
 */
export function foldCase(text: string): string {
  return text.toUpperCase();
}
