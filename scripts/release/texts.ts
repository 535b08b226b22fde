import { join } from "node:path";
import { helpPages } from "../../cli/run.ts";
import manifest from "../../package.json" with { type: "json" };
import { orSayWhy } from "./run.ts";

/** The manual page, the README of an archive, and the notes of a release, which this prints: the part of the changelog. */

export const archiveReadme = (version: string): string => `momo ${version}, a sandbox for mobile-money payments in Kenya

  momo serve                      starts it, and prints a key and an address
  momo pay 0712345678 100 --wait  in another terminal: a payment
  momo help                       the commands, and the documents:
  momo help readme                what momo is, and the first steps
  momo help testing               tests with momo; also: help audit, help intercept, help install ...
`;

/** Makes the manual page of momo from the help of each command. */
export async function manPage(version: string): Promise<string> {
  const [overview, ...commands] = await helpPages(version);
  const sections = commands.map(({ name, text }) => `.SS ${name}\n${verbatim(text)}`);
  return `.TH MOMO 1 "" "momo ${version}" "momo"
.SH NAME
momo \\- a mobile-money payment sandbox
.SH SYNOPSIS
.B momo
.I command
[options]
.SH DESCRIPTION
${verbatim(overview?.text ?? "")}.SH COMMANDS
${sections.join("")}`;
}

/** Lines that man prints as they are. */
function verbatim(text: string): string {
  const lines = text.trimEnd().replaceAll("\\", "\\e").replaceAll("-", "\\-").split("\n");
  // At the start of a line, a dot or an apostrophe would begin a request of roff.
  return `.nf\n${lines.map((line) => line.replace(/^[.']/, "\\&$&")).join("\n")}\n.fi\n`;
}

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

if (import.meta.main) {
  await orSayWhy(async () => {
    const changelog = await Bun.file(join(import.meta.dir, "../../CHANGELOG.md")).text();
    process.stdout.write(`${notesOf(changelog, manifest.version)}\n`);
  });
}
