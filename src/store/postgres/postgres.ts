import type { PostgresOptions, PostgresStore } from "./options.ts";

/** The engine that several replicas share. Its exports for others are here; it is imported only when a server uses it. */

export type * from "./options.ts";
export { TABLES } from "./options.ts";
export { markOfOthers } from "./others.ts";
export { createSteeringTable } from "./steering.ts";
export { createVitals } from "./vitals.ts";

/**
 * Opens the store, and makes its schema where `migrate` says so.
 * @throws UnusableDatabase with one line that says what is wrong; the password is not in it
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  throw new Error(`not built yet: ${options.replica}`);
}
