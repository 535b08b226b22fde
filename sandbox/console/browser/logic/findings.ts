import type { Finding, LoggedRequest } from "../wire.ts";

type ByKey<Key> = ReadonlyMap<Key, readonly Finding[]>;

/** The findings by the id of each request that they name. */
export function findingsByCall(findings: readonly Finding[]): ByKey<number> {
  const named = findings.flatMap((finding) => finding.request_ids.map((id) => ({ id, finding })));
  const byCall = [...Map.groupBy(named, ({ id }) => id)];
  return new Map(byCall.map(([id, group]) => [id, group.map(({ finding }) => finding)]));
}

/** The findings by each payment that they show, or that one of their logged requests is about. */
export function findingsByPayment(
  findings: readonly Finding[],
  requests: readonly LoggedRequest[],
): ByKey<string | null> {
  const payments = new Map(requests.map((request) => [request.id, request.checkout_request_id]));
  const shown = findings.flatMap((finding) => {
    const examples = finding.examples.map(({ checkout_request_id }) => checkout_request_id);
    const asked = finding.request_ids.map((id) => payments.get(id) ?? null);
    return [...new Set([...examples, ...asked])].map((id) => ({ id, finding }));
  });
  return new Map(
    [...Map.groupBy(shown, ({ id }) => id)].map(([id, group]) => [id, group.map(({ finding }) => finding)]),
  );
}

/** The findings by kind, in the order of the first of each kind. */
export const findingsByKind = (findings: readonly Finding[]): ByKey<string> =>
  Map.groupBy(findings, ({ kind }) => kind);

/** A short label that fits beside the request. */
export const labelOf = ({ kind }: { readonly kind: string }): string => kind.replaceAll("_", " ");

/** The labels of several findings, each once. */
export const labelsOf = (findings: readonly Finding[]): string => [...new Set(findings.map(labelOf))].join(", ");
