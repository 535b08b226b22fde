import { full, locked, readOnly } from "./disk.ts";
import { clockBack, kill, stop } from "./kill.ts";
import type { Scenario } from "./scenario.ts";

/** In the order in which they run. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  kill,
  stop,
  "full-disk": full,
  "read-only": readOnly,
  locked,
  "clock-back": clockBack,
};
