import { DAY_MS } from "../../../../src/domain/timestamp.ts";
import { STATUSES, type Status } from "../../../../src/domain/transaction.ts";
import type { Transaction } from "../wire.ts";
import { instantOf } from "./format.ts";

export const BUCKETS = 48;

/** How many payments have each status. */
export type StatusCounts = Record<Status, number>;

/** The payments that started in one interval. */
export interface Bucket {
  readonly fromMs: number;
  readonly counts: Readonly<StatusCounts>;
}

export interface Chart {
  /** The oldest first, without gaps. */
  readonly buckets: readonly Bucket[];
  readonly bucketMs: number;
  /** How many payments are in the largest bucket. */
  readonly most: number;
}

/** Round intervals: seconds, minutes, hours, days. */
const INTERVALS_MS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1000,
);

/** Payments by start time. The interval is the shortest with which {@link BUCKETS} intervals reach from the first payment to now. */
export function chartOf(payments: readonly Pick<Transaction, "created_at" | "status">[], nowMs: number): Chart {
  const startsMs = payments.map(({ created_at }) => instantOf(created_at));
  const firstMs = Math.min(nowMs, ...startsMs);
  // The clock of another server may be ahead.
  const lastMs = Math.max(nowMs, ...startsMs);
  const bucketMs = intervalFor(firstMs, lastMs);
  const beginMs = (Math.floor(lastMs / bucketMs) + 1 - BUCKETS) * bucketMs;
  const counts = Array.from({ length: BUCKETS }, emptyCounts);
  payments.forEach(({ status }, index) => {
    const bucket = counts[Math.floor(((startsMs[index] ?? 0) - beginMs) / bucketMs)];
    if (bucket) bucket[status] += 1;
  });
  return {
    buckets: counts.map((count, index) => ({ fromMs: beginMs + index * bucketMs, counts: count })),
    bucketMs,
    most: Math.max(...counts.map(totalOf)),
  };
}

function intervalFor(firstMs: number, lastMs: number): number {
  const fits = (bucketMs: number) => Math.floor(lastMs / bucketMs) - Math.floor(firstMs / bucketMs) < BUCKETS;
  return INTERVALS_MS.find(fits) ?? Math.ceil((lastMs - firstMs) / DAY_MS / (BUCKETS - 1)) * DAY_MS;
}

const emptyCounts = (): StatusCounts => ({ pending: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 });

const totalOf = (counts: StatusCounts): number => STATUSES.reduce((sum, status) => sum + counts[status], 0);

/** `2 completed, 1 cancelled` */
export function inWords(buckets: readonly Bucket[]): string {
  const parts = STATUSES.map((status) => {
    const count = buckets.reduce((sum, { counts }) => sum + counts[status], 0);
    return count === 0 ? "" : `${count} ${status}`;
  });
  return parts.filter((part) => part !== "").join(", ") || "no payment";
}
