import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../cli/terminal/this-program.ts";
import packageJson from "../../package.json";
import { clockBy } from "../../src/system.ts";
import { newFolder } from "./cleanup.ts";
import { START_MS } from "./harness.ts";
import { seededRandom } from "./random.ts";
import { startIn } from "./sandbox.ts";

/** A new sandbox with a frozen clock, which has the same numbers, ids, keys and times in each run. */
export async function startSame() {
  const data = newFolder();
  writeFileSync(join(data, "clock.json"), JSON.stringify({ frozen_at_ms: START_MS }), { mode: 0o600 });
  const startedMs = performance.now();
  const realClock = clockBy(() => Math.floor(START_MS + performance.now() - startedMs));
  const sandbox = await startIn(data, { random: seededRandom(1), realClock });
  return { ...sandbox, data };
}

/** Replaces what differs from run to run by a name; ids and keys, which nobody can read, by their order of appearance. */
export function createSameText(data: string) {
  const named: Record<string, string[]> = {};
  return (text: string): string =>
    text
      .replaceAll("\r\n", "\n")
      .replaceAll(/^Date: .* GMT$/gm, "Date: DATE")
      .replaceAll(/\b(ws_(?:CO|MR)_\d{14}_|mk_|ms_)[0-9A-Za-z]{20,}/g, (name, kind: string) => {
        const known = named[kind] ?? [];
        named[kind] = known;
        if (!known.includes(name)) known.push(name);
        return `${kind}${known.indexOf(name) + 1}`;
      })
      .replaceAll(data, "/data")
      .replaceAll(/(?<=127\.0\.0\.1:)\d{4,}/g, "PORT")
      .replaceAll(commandLine(), "momo")
      .replaceAll(new RegExp(`(process |"pid":)${process.pid}`, "g"), "$1PID")
      .replaceAll(/\b(?!2026-11-20 )20\d\d-\d\d-\d\d \d\d:\d\d:\d\d/g, "TIME")
      .replaceAll(/(?<=ws_(?:CO|MR)_)(?!20112026)\d{14}/g, "TIME")
      .replaceAll(/"duration_ms":[0-9.]+/g, '"duration_ms":MS')
      .replaceAll(packageJson.version, "VERSION");
}
