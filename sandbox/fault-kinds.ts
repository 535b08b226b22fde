/** What each kind of fault does, in words. The commands and the page load this file: it imports nothing. */
export const FAULT_DEEDS = {
  error: "an error",
  delay: "a delay",
  disconnect: "the answer is lost",
} as const;

export type FaultKind = keyof typeof FAULT_DEEDS;

export const FAULT_KINDS = Object.keys(FAULT_DEEDS) as readonly FaultKind[];
