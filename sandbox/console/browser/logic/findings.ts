import type { Finding } from "../wire.ts";

/**
 * What was found, by the id of the call in which it shows.
 * @param firstId calls before this one are not shown
 */
export function findingsByRequest(
  findings: readonly Finding[],
  firstId: number,
): ReadonlyMap<number, readonly Finding[]> {
  const byRequest = new Map<number, Finding[]>();
  for (const finding of findings) {
    for (const id of finding.request_ids) {
      if (id < firstId) continue;
      const others = byRequest.get(id);
      if (others) others.push(finding);
      else byRequest.set(id, [finding]);
    }
  }
  return byRequest;
}

/** In so few words that it fits beside the call. */
export const labelOf = ({ kind }: Finding): string => kind.replaceAll("_", " ");
