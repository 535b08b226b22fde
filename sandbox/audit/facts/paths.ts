import type { Route } from "./request.ts";

const OPERATIONS = [
  { operation: "push", method: "POST", path: "/stkpush.php" },
  { operation: "status", method: "POST", path: "/status.php" },
  { operation: "list", method: "GET", path: "/transactions.php" },
] as const;

/** The operations by their whole path. */
export const routesAt = (basePaths: readonly string[]): ReadonlyMap<string, Route> =>
  new Map(basePaths.flatMap((base) => OPERATIONS.map((route) => [base + route.path, { ...route, base }] as const)));

/** Paths that browsers and probes request by themselves. */
const AUTOMATIC = /^\/(?:favicon\.ico|robots\.txt|apple-touch-icon[^/]*|\.well-known\/.*|openapi\.json)?$/;

/** Whether browsers and probes send such a request by themselves. */
export function isAutomatic(method: string, path: string, basePaths: readonly string[]): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return AUTOMATIC.test(path) || basePaths.some((base) => path === base || path === `${base}/`);
}
