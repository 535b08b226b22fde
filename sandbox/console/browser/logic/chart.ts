import { DAY_MS } from "../../../../src/domain/timestamp.ts";
import { STATUSES, type Status, type Transaction } from "../wire.ts";
import { instantOf } from "./format.ts";

/** The payments that started in one interval, by status. */
export interface Bucket {
  readonly fromMs: number;
  readonly counts: Readonly<Record<Status, number>>;
  readonly total: number;
}

export const BUCKETS = 48;

/** Round intervals: seconds, minutes, hours, days. */
const INTERVALS_MS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1000,
);

/**
 * Payments by start time. The interval is the shortest with which {@link BUCKETS} intervals reach from the first payment to now.
 * @returns the buckets oldest first, without gaps
 */
export function outcomeChart(transactions: readonly Transaction[], nowMs: number) {
  const startedAtMs = transactions.map(({ created_at }) => instantOf(created_at));
  const firstMs = startedAtMs.reduce((first, atMs) => Math.min(first, atMs), nowMs);
  const lastMs = startedAtMs.reduce((last, atMs) => Math.max(last, atMs), nowMs);
  const bucketMs = intervalFor(firstMs, lastMs);
  const endMs = (Math.floor(lastMs / bucketMs) + 1) * bucketMs;
  const beginMs = endMs - BUCKETS * bucketMs;

  const counts = Array.from({ length: BUCKETS }, emptyCounts);
  transactions.forEach(({ status }, index) => {
    const bucket = counts[Math.floor(((startedAtMs[index] ?? 0) - beginMs) / bucketMs)];
    if (bucket) bucket[status] += 1;
  });
  const buckets = counts.map((count, index) => ({
    fromMs: beginMs + index * bucketMs,
    counts: count,
    total: STATUSES.reduce((sum, status) => sum + count[status], 0),
  }));
  return { buckets, bucketMs, most: Math.max(0, ...buckets.map(({ total }) => total)) };
}

function intervalFor(firstMs: number, lastMs: number): number {
  const fits = (bucketMs: number) => Math.floor(lastMs / bucketMs) - Math.floor(firstMs / bucketMs) < BUCKETS;
  return INTERVALS_MS.find(fits) ?? Math.ceil((lastMs - firstMs) / DAY_MS / (BUCKETS - 1)) * DAY_MS;
}

function emptyCounts(): Record<Status, number> {
  return { pending: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 };
}
