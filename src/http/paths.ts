/** The paths of the three operations below the base address (§4). */
export const OPERATION_PATHS = ["/stkpush.php", "/status.php", "/transactions.php"] as const;

/** The prefixes of the operations' paths: empty, or such as `/v2`. momo shows the first one to people. */
export type BasePaths = readonly [first: string, ...more: string[]];

/** The operations by their paths, with any of the base paths. */
export const operationsAt = (basePaths: readonly string[]): ReadonlyMap<string, (typeof OPERATION_PATHS)[number]> =>
  new Map(basePaths.flatMap((base) => OPERATION_PATHS.map((operation) => [base + operation, operation] as const)));
