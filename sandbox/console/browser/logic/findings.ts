import type { Finding } from "../wire.ts";

type ByKey<Key> = ReadonlyMap<Key, readonly Finding[]>;

/** The findings by the id of each request that they name. */
export const findingsByCall = (findings: readonly Finding[]): ByKey<number> =>
  grouped(findings, ({ request_ids }) => request_ids);

export const findingsByPayment = (findings: readonly Finding[]): ByKey<string> =>
  grouped(findings, ({ checkout_request_id }) => (checkout_request_id === null ? [] : [checkout_request_id]));

/** The findings by kind, in the order of the first of each kind. */
export const findingsByKind = (findings: readonly Finding[]): ByKey<string> => grouped(findings, ({ kind }) => [kind]);

function grouped<Key>(findings: readonly Finding[], keysOf: (finding: Finding) => readonly Key[]): ByKey<Key> {
  const groups = new Map<Key, Finding[]>();
  for (const finding of findings) {
    for (const key of keysOf(finding)) {
      const others = groups.get(key);
      if (others) others.push(finding);
      else groups.set(key, [finding]);
    }
  }
  return groups;
}

/** A short label that fits beside the request. */
export const labelOf = ({ kind }: { readonly kind: string }): string => kind.replaceAll("_", " ");

/** The labels of several findings, each once. */
export const labelsOf = (findings: readonly Finding[]): string => [...new Set(findings.map(labelOf))].join(", ");

/** The key of a finding, valid as long as the server runs. */
const keyOf = ({ kind, checkout_request_id, message }: Finding): string => `${kind} ${checkout_request_id ?? message}`;

/** How often each finding had happened when the person marked it as known. */
export type Acknowledged = Readonly<Record<string, number>>;

/** Whether a finding was marked as known, and has not happened again since. */
export const isAcknowledged = (finding: Finding, acknowledged: Acknowledged): boolean =>
  (acknowledged[keyOf(finding)] ?? 0) >= finding.count;

/** As many as the audit keeps. */
const MOST_ACKNOWLEDGED = 1000;

export function acknowledge(acknowledged: Acknowledged, findings: readonly Finding[]): Acknowledged {
  const noted = findings.map((finding) => [keyOf(finding), finding.count] as const);
  return Object.fromEntries([...Object.entries(acknowledged), ...noted].slice(-MOST_ACKNOWLEDGED));
}
