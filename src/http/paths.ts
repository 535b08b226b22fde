/** The paths of the three operations below the base address (§4). */
export const OPERATION_PATHS = ["/stkpush.php", "/status.php", "/transactions.php"] as const;

/** The prefixes of the operations' paths: empty, or such as `/v2`. momo shows the first one to people. */
export type BasePaths = readonly [first: string, ...more: string[]];

/** The operations by their paths, with any of the base paths. */
export const operationsAt = (basePaths: readonly string[]): ReadonlyMap<string, (typeof OPERATION_PATHS)[number]> =>
  new Map(basePaths.flatMap((base) => OPERATION_PATHS.map((operation) => [base + operation, operation] as const)));

/** At most 7 parts, because the server compares 8, and the operation is one of them; outside the control API. Empty for none. */
export const BASE_PATH_RULE = "must be a path such as /v2 of at most 7 parts, outside /_momo";
export const isBasePath = (path: string): boolean =>
  path.length <= 100 && /^(?!\/_momo(?:\/|$))(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+){0,7}$/.test(path);
