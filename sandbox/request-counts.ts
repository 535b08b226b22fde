import type { LoggedRequest } from "./request-log.ts";

export type RequestCounts = ReturnType<typeof createRequestCounts>;

/** The status of a request that got no answer. */
const UNANSWERED = "none";

/**
 * Counts the requests to the merchant API by operation and status.
 * @param operationOf the name of the operation at a path; null for other paths
 */
export function createRequestCounts(operationOf: (path: string) => string | null) {
  const counts = new Map<string, Map<number | null, number>>();
  return {
    list: () =>
      [...counts].flatMap(([operation, byStatus]) =>
        [...byStatus].map(([status, count]) => ({ operation, status: String(status ?? UNANSWERED), count })),
      ),
    add({ target, status }: Pick<LoggedRequest, "target" | "status">): void {
      const end = target.indexOf("?");
      const operation = operationOf(end < 0 ? target : target.slice(0, end)) ?? "other";
      const byStatus = counts.get(operation) ?? new Map<number | null, number>();
      counts.set(operation, byStatus);
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    },
  };
}
