import type { Replica } from "./context.ts";

/** What only one of several servers knows says whose it is. */
export const ownedBy = (replica: Replica | null): { replica?: string } =>
  replica === null ? {} : { replica: replica.name };

/** The same for answers that are not JSON. */
export const replicaHeader = (replica: Replica | null): Record<string, string> =>
  replica === null ? {} : { "X-Momo-Replica": replica.name };
