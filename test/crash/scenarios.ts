import { clockBack } from "./clock-back.ts";
import { fullFileSystem, limitedFiles } from "./full-disk.ts";
import { kill } from "./kill.ts";
import { locked } from "./locked.ts";
import { readOnly } from "./read-only.ts";
import type { Scenario } from "./scenario.ts";
import { stop } from "./stop.ts";

/** In the order in which they run. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  kill,
  stop,
  "full-disk": fullFileSystem,
  "file-limit": limitedFiles,
  "read-only": readOnly,
  locked,
  "clock-back": clockBack,
};
