import type { ClockReading, Default, Fault, Rule, ServerFacts } from "../wire.ts";

/** Settings that differ from the defaults. They explain an unexpected outcome. */
export interface Steered {
  readonly rules: readonly Rule[];
  readonly faults: readonly Fault[];
  readonly fallback: Default | null;
  readonly clock: Pick<ClockReading, "frozen"> | null;
  readonly server: Pick<ServerFacts, "accept"> | null;
  /** The address of the webhook; null if there is none. */
  readonly webhook: string | null;
}

/** Each in a few words: `4 rules`, `1 fault`, `default cancelled`. Empty if nothing differs. */
export function unusual({ rules, faults, fallback, clock, server, webhook }: Steered): string[] {
  const isPlain = fallback === null || (fallback.outcome === "completed" && fallback.after === "3s");
  return [
    ...(rules.length > 0 ? [counted(rules.length, "rule")] : []),
    ...(faults.length > 0 ? [counted(faults.length, "fault")] : []),
    ...(clock?.frozen ? ["clock frozen"] : []),
    ...(isPlain ? [] : [`default ${fallback.outcome}${isDuration(fallback.after) ? ` after ${fallback.after}` : ""}`]),
    ...(server?.accept === "lenient" ? ["lenient"] : []),
    ...(webhook === null ? [] : ["webhook"]),
  ];
}

/** Whether it is a duration. Some outcomes have words instead: they end with the prompt timeout, or never. */
export const isDuration = (after: string | null): after is string => after !== null && /^[0-9]/.test(after);

export const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en-KE")} ${what}${count === 1 ? "" : "s"}`;
