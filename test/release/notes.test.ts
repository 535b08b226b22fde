import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { notesOf } from "../../scripts/release/notes.ts";
import { parseSums, sumOf, wrongFiles } from "../../scripts/release/sums.ts";
import { useFolder } from "../support/cleanup.ts";

const at = useFolder();

const CHANGELOG = `# Changelog

## Unreleased

### Added

- more

## 0.2.0 (2026-03-01)

- a thing

## 0.1.0

`;

test("the notes of a release are what stands below its heading, up to the next one", () => {
  expect(notesOf(CHANGELOG, "0.2.0")).toBe("- a thing");
});

test("a version without a heading, and a heading with nothing below it, stop the release", () => {
  expect(() => notesOf(CHANGELOG, "0.3.0")).toThrow('no heading "## 0.3.0"');
  expect(() => notesOf(CHANGELOG, "0.2")).toThrow("no heading");
  expect(() => notesOf(CHANGELOG, "0.1.0")).toThrow("says nothing");
});

test("a file that is missing, or whose sum differs from SHA256SUMS, is named", async () => {
  for (const name of ["a", "b"]) writeFileSync(at(name), name);
  const lines = [`${await sumOf(at("a"))}  a`, `${await sumOf(at("a"))}  b`, `${await sumOf(at("a"))}  c`];
  writeFileSync(at("SHA256SUMS"), `${lines.join("\n")}\n`);
  expect(await wrongFiles(dirname(at("a")))).toEqual(["b", "c"]);
  expect(() => parseSums("nonsense\n")).toThrow("no line of SHA256SUMS: nonsense");
});
