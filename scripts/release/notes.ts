import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

/** The notes of a release: its part of the changelog. As a program, it prints them. */

const ROOT = join(import.meta.dir, "../..");

/**
 * The text below the heading of a version, such as `## 0.2.0` or `## 0.2.0 (2026-03-01)`.
 * @throws Error if there is no such heading, or nothing below it
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
  try {
    process.stdout.write(`${notesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), manifest.version)}\n`);
  } catch (error) {
    process.stderr.write(`momo: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
