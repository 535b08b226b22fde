import type { ClockReading, Default, Fault, Rule, ServerFacts } from "../wire.ts";

/** What is in force in a sandbox, and unusual: nobody who sees a strange outcome should have to look for its cause. */
export interface Steered {
  readonly rules: readonly Rule[];
  readonly faults: readonly Fault[];
  readonly fallback: Default | null;
  readonly clock: Pick<ClockReading, "frozen"> | null;
  readonly server: Pick<ServerFacts, "accept"> | null;
  /** The address that a webhook goes to; null where there is none. */
  readonly webhook: string | null;
}

/** In a few words each: `4 rules`, `1 fault`, `default cancelled`. Empty where all is as momo starts. */
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

/** Some outcomes have words there: they end with the prompt's lifetime, or never. */
export const isDuration = (after: string | null): after is string => after !== null && /^[0-9]/.test(after);

export const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en-KE")} ${what}${count === 1 ? "" : "s"}`;
