/** Lists, newest first. */

export interface Listed {
  readonly id: number;
  readonly created_at?: string;
}

/** In the order of the server: by time, then by id. Replicas that share a store do not give ids in the order of time. */
export function isNewer(one: Listed, other: Listed): boolean {
  const [time = "", otherTime = ""] = [one.created_at, other.created_at];
  return time === otherTime ? one.id > other.id : time > otherTime;
}

/** The rows of both lists, each once. @param most the bound: beyond it, the oldest rows are dropped */
export function mergeNewestFirst<T extends Listed>(rows: readonly T[], arrived: readonly T[], most: number): T[] {
  const byId = new Map([...rows, ...arrived].map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) => (isNewer(one, other) ? -1 : 1)).slice(0, most);
}
