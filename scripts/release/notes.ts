import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

/** The notes of a release, from the changelog: `bun scripts/release/notes.ts` prints those of this version. */

/**
 * What stands below the heading of a version, such as `## 0.2.0` or `## 0.2.0 (2026-03-01)`.
 * @throws Error where there is no such heading, or nothing below it
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s(]/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version}"`);
  const notes = section.split("\n").slice(1).join("\n").trim();
  if (notes === "") throw new Error(`CHANGELOG.md says nothing below "## ${version}"`);
  return notes;
}

if (import.meta.main) {
  const changelog = readFileSync(join(import.meta.dir, "../../CHANGELOG.md"), "utf8");
  process.stdout.write(`${notesOf(changelog, manifest.version)}\n`);
}
