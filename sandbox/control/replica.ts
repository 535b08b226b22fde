import type { Replica } from "./context.ts";

/** The name of the server, for answers that only one of several servers can give. */
export const ownedBy = (replica: Replica | null): { replica?: string } =>
  replica === null ? {} : { replica: replica.name };

/** The same for answers that are not JSON. */
export const replicaHeader = (replica: Replica | null): Record<string, string> =>
  replica === null ? {} : { "X-Momo-Replica": replica.name };
