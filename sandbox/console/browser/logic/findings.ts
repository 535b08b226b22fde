import type { Finding } from "../wire.ts";

type ByKey<Key> = ReadonlyMap<Key, readonly Finding[]>;

/** The findings by the id of each request that they name. */
export const findingsByCall = (findings: readonly Finding[]): ByKey<number> =>
  findingsBy(findings, ({ request_ids }) => request_ids);

/** The findings by the id of each payment that they name. */
export const findingsByPayment = (findings: readonly Finding[]): ByKey<string> =>
  findingsBy(findings, ({ checkout_request_ids }) => checkout_request_ids);

function findingsBy<Key>(findings: readonly Finding[], keysOf: (finding: Finding) => readonly Key[]): ByKey<Key> {
  const named = findings.flatMap((finding) => keysOf(finding).map((key) => ({ key, finding })));
  const byKey = [...Map.groupBy(named, ({ key }) => key)];
  return new Map(byKey.map(([key, group]) => [key, group.map(({ finding }) => finding)]));
}

/** What a finding says of one payment or request; null if it has only the words for others. */
export const messageFor = ({ examples }: Finding, id: string | number): string | null =>
  examples.find(({ request_ids, checkout_request_ids }) => [...request_ids, ...checkout_request_ids].includes(id))
    ?.message ?? null;

/** The findings by kind, in the order of the first of each kind. */
export const findingsByKind = (findings: readonly Finding[]): ByKey<string> =>
  Map.groupBy(findings, ({ kind }) => kind);

/** A short label that fits beside the request. */
export const labelOf = ({ kind }: { readonly kind: string }): string => kind.replaceAll("_", " ");

/** The labels of several findings, each once. */
export const labelsOf = (findings: readonly Finding[] = []): string => [...new Set(findings.map(labelOf))].join(", ");
