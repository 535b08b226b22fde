import { clockBack } from "./clock-back.ts";
import { fullDisk } from "./full-disk.ts";
import { kill } from "./kill.ts";
import { locked } from "./locked.ts";
import { readOnly } from "./read-only.ts";
import type { Scenario } from "./scenario.ts";
import { stop } from "./stop.ts";

/** In the order in which they run; for each, how many rounds go with so many kills. */
export const SCENARIOS: Readonly<
  Record<string, { readonly scenario: Scenario; readonly rounds: (kills: number) => number }>
> = {
  kill: { scenario: kill, rounds: (kills) => kills },
  stop: { scenario: stop, rounds: (kills) => Math.ceil(kills / 5) },
  "full-disk": { scenario: fullDisk, rounds: (kills) => Math.ceil(kills / 10) },
  "read-only": { scenario: readOnly, rounds: (kills) => Math.ceil(kills / 20) },
  locked: { scenario: locked, rounds: (kills) => Math.ceil(kills / 20) },
  "clock-back": { scenario: clockBack, rounds: (kills) => Math.ceil(kills / 20) },
};
