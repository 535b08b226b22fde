import { realpathSync } from "node:fs";
import { delimiter } from "node:path";
import { searchPath } from "../environment.ts";
import { type Finding, fine } from "./diagnose.ts";

/** Two versions of momo can be installed in two ways. A shell starts the first one. */
export function checkPath(): Finding[] {
  const found = new Map<string, string>();
  for (const folder of searchPath().split(delimiter)) {
    const file = folder === "" ? null : Bun.which("momo", { PATH: folder });
    if (file !== null && !found.has(realpathSync(file))) found.set(realpathSync(file), file);
  }
  const [first, ...others] = found.values();
  return others.length === 0 ? [] : [fine("path", `a shell starts ${first}, and not ${others.join(" or ")}`)];
}
