/** What each kind of fault does, in words. The commands and the page load this file: it imports nothing. */
export const FAULT_DEEDS = {
  error: "an error",
  delay: "a delay",
  disconnect: "the answer is lost",
} as const;

export type FaultKind = keyof typeof FAULT_DEEDS;

export const FAULT_KINDS = Object.keys(FAULT_DEEDS) as readonly FaultKind[];

/** What a fault does, in a few words. */
export function deedOf(fault: {
  readonly kind: FaultKind;
  readonly status?: number | undefined;
  readonly carried_out?: boolean | undefined;
  readonly delay?: string | undefined;
  readonly cut_after?: number | undefined;
}): string {
  const { kind, status = 500, carried_out, delay, cut_after } = fault;
  if (kind !== "error") return delay === undefined ? FAULT_DEEDS[kind] : `${delay} late`;
  return `HTTP ${status}${carried_out ? ", carried out" : ""}${cut_after === undefined ? "" : `, cut after ${cut_after} bytes`}`;
}
