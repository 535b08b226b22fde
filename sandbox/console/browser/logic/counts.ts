import type { Counts, Snapshot, Status } from "../wire.ts";
import { counted, countedAll, momentInWords } from "./format.ts";

/** How many payments there are, and what goes with them. */

/** In the order of the tiles. */
export const COUNTED: readonly Status[] = ["completed", "failed", "cancelled", "expired", "pending"];

export const totalOf = (counts: Counts): number => COUNTED.reduce((sum, status) => sum + counts[`${status}_count`], 0);

/** The counts of the payments with one status. */
export function ofStatus(counts: Counts, wanted: string): Counts {
  const numbers = COUNTED.map((status) => [`${status}_count`, status === wanted ? counts[`${status}_count`] : 0]);
  const received = wanted === "completed" ? counts.total_completed_amount : 0;
  return { ...Object.fromEntries(numbers), total_completed_amount: received };
}

/** What is in a snapshot: `2 payments, 1 rule, at 20 Nov 2026, 10:00:00, frozen` */
export function snapshotInWords({ transactions, rules, faults, at, frozen }: Snapshot): string {
  const steered = countedAll({ rule: rules, fault: faults });
  return [counted(transactions, "payment"), ...steered, `at ${momentInWords(at)}`, ...(frozen ? ["frozen"] : [])].join(
    ", ",
  );
}
