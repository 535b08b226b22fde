import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { orSayWhy } from "./run.ts";

/** The notes of a release, which this prints: the part of the changelog. And where releases are. */

/**
 * The notes of a release: the text below the heading of its version, such as `## 0.2.0` or `## 0.2.0 (2026-03-01)`.
 * @throws Error if there is no such heading, or nothing below it
 */
export function notesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.split(/[\s(]/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version}"`);
  const notes = section.slice(section.indexOf("\n")).trim();
  if (notes === "") throw new Error(`CHANGELOG.md says nothing below "## ${version}"`);
  return notes;
}

/** The versions that have a heading in the changelog, except the one that is to be released. */
export function releasedVersions(changelog: string, next: string): string[] {
  const headings = changelog.matchAll(/^## (\d+\.\d+\.\d+\S*)/gm);
  return [...headings].map(([, version = ""]) => version).filter((version) => version !== next);
}

/** Where the newest release can be downloaded, by `repository` of package.json; null while that has none. */
export function releasesOf(content: object): string | null {
  const repository = "repository" in content ? content.repository : null;
  const url = repository instanceof Object && "url" in repository ? repository.url : repository;
  if (typeof url !== "string") return null;
  return `${url.replace(/^git\+/, "").replace(/\.git$/, "")}/releases/latest/download`;
}

if (import.meta.main) {
  await orSayWhy(async () => {
    const changelog = await Bun.file(join(import.meta.dir, "../../CHANGELOG.md")).text();
    process.stdout.write(`${notesOf(changelog, manifest.version)}\n`);
  });
}
