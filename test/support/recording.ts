import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { KINDS } from "../../sandbox/audit/rules.ts";
import { FAULT_NAMES } from "../../sandbox/faults/kinds.ts";
import { CHOSEN_NAMES } from "../../sandbox/network/choice.ts";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";

/**
 * Texts of a file that tests compare, and write again with MOMO_TEST_RECORD=1. A text that was not shown, because `-t` left it out or
 * its test failed before, stays as it is.
 */

/** @throws Error with CI=true, where nobody would read what was written */
export function isRecording(): boolean {
  const { MOMO_TEST_RECORD, CI } = process.env;
  if (MOMO_TEST_RECORD === undefined || MOMO_TEST_RECORD === "") return false;
  if (CI === "true")
    throw new Error("MOMO_TEST_RECORD is set, and CI is true: record on your own machine, and read the difference");
  return true;
}

/** @throws Error if recording would overwrite what git does not have. Other files may have changes: that is why one records. */
function assertStaged(file: string): void {
  const { exitCode } = Bun.spawnSync(["git", "diff", "--quiet", "--", basename(file)], { cwd: dirname(file) });
  // Outside of a repository git ends with another code.
  if (exitCode !== 1) return;
  throw new Error(
    `${file} has changes that are not staged, and recording would overwrite them: git add it, or git restore it`,
  );
}

const ANY_OUTCOME = CHOSEN_NAMES.join("|");
const MANY_OUTCOMES = new RegExp(`(?:(?:${ANY_OUTCOME}), ){7,}(?:${ANY_OUTCOME})`, "g");

const FINDINGS = KINDS.map(({ kind }) => kind).join(", ");
const SCHEMA = new RegExp(`(schema"?:? ?|knows up to )${KNOWN_SCHEMA}\\b`, "g");

/** Without what the program lists or counts itself: a new outcome, fault, finding, member or column would change each text that has it. */
export const withoutLists = (text: string): string =>
  text
    .replaceAll(MANY_OUTCOMES, "OUTCOMES")
    .replaceAll(FAULT_NAMES.join(", "), "FAULTS")
    .replaceAll(FINDINGS, "FINDINGS")
    .replaceAll(SCHEMA, "$1SCHEMA")
    .replaceAll(/(?<=members are )(?:\w+, ){6,}\w+/g, "MEMBERS")
    .replaceAll(/(?<=names are )(?:\w+, ){6,}\w+/g, "NAMES")
    .replaceAll(/(?<="bytes":|"momo audit" tests=")\d+/g, "N")
    .replaceAll(
      /\d+ of \d+ (?=stated sentences hold)|\d+ (?=silent ones recorded|not checked|sentences\b|requests to|requests, at most)/g,
      "N ",
    );

export class Recording {
  /** As the file has them. */
  readonly texts: readonly string[];
  readonly #file: string;
  readonly #separator: string | null;
  readonly #shown: string[];

  /** @param separator what stands between two texts; null if the file is one text */
  constructor(file: string, separator: string | null = "\n\n") {
    if (isRecording()) assertStaged(file);
    this.#file = file;
    this.#separator = separator;
    const text = readFileSync(file, "utf8").trimEnd();
    this.texts = separator === null ? [text] : text.split(separator);
    this.#shown = [...this.texts];
  }

  /** Compares a text with that of the file, or writes it there. */
  compare(index: number, shown: string): void {
    if (!isRecording()) {
      expect(shown.split("\n")).toEqual((this.texts[index] ?? "").split("\n"));
      return;
    }
    this.#shown[index] = shown;
    this.#write(this.#shown);
  }

  /** Compares a part of a text, of which `about` says what it is. */
  compareLines(shown: readonly string[], written: readonly string[], about: string): void {
    if (!isRecording()) expect(shown, about).toEqual([...written]);
  }

  /** The same for all texts of the file. */
  compareAll(shown: readonly string[]): void {
    if (isRecording()) this.#write(shown);
    else expect(shown).toEqual(this.texts);
  }

  #write(texts: readonly string[]): void {
    writeFileSync(this.#file, `${texts.join(this.#separator ?? "")}\n`);
  }
}
