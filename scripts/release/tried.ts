import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TARGETS } from "./targets.ts";

/** The result of `release:try` for one executable. */
export interface Tried {
  /** The checksum of the executable: a new build must be tried again. */
  readonly sum: string;
  readonly result: "ran" | "not run" | "failed";
  /** Where it ran and how long each step took, or why it was not run, or what went wrong. */
  readonly detail: string;
}

/** By the name of the target; those that were not tried are missing. @param release the folder dist/release */
export function readTried(release: string): Map<string, Tried> {
  const found = TARGETS.map(({ name }) => [name, join(release, "tried", `${name}.json`)] as const);
  return new Map(
    found.filter(([, file]) => existsSync(file)).map(([name, file]) => [name, JSON.parse(readFileSync(file, "utf8"))]),
  );
}

/** The part of the notes that says where each executable was tried, and which ones were not tried. */
export function triedText(tried: ReadonlyMap<string, Tried>): string {
  const rows = TARGETS.map(({ name }) => {
    const { result, detail } = tried.get(name) ?? { result: "not run", detail: "it was not tried" };
    return `| ${name} | ${result} | ${detail} |`;
  });
  return `### Tried before the release

"Ran" means: it served, took a payment and a cancelled one, listed both, and stopped in order.

| executable | | where, and the time of each step |
|---|---|---|
${rows.join("\n")}
`;
}
