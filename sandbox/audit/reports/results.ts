import type { Severity } from "../kinds.ts";

/** What the reports for other programs have in common, whatever was examined: JUnit, SARIF and GitHub's annotations. */
export interface Results {
  /** Such as `momo audit`. */
  readonly title: string;
  /** What happened, in one line. */
  readonly summary: string;
  /** What happened, as JSON. */
  readonly facts: object;
  /** The same as names with one value each, for JUnit. */
  readonly figures: Readonly<Record<string, string | number>>;
  readonly rules: readonly Rule[];
  /** What was found. A rule without a result passes. */
  readonly found: readonly Result[];
}

export interface Rule {
  readonly id: string;
  /** The class of its test case. */
  readonly group: string;
  /** What it is about, in a few words. */
  readonly short: string;
  readonly full: string;
  /** What would be right. */
  readonly help: string;
  readonly level: Severity;
}

export interface Result {
  readonly rule: string;
  /** Of its test case. */
  readonly name: string;
  readonly level: Severity;
  /** A failure fails its test case; a skipped rule was not examined, and others pass. */
  readonly is: "failure" | "skipped" | "remark";
  readonly message: string;
  /** What would be right, for an annotation. */
  readonly advice: string;
  /** The message with all that is known. */
  readonly details: string;
  /** Where it was found. */
  readonly place: string;
  readonly count: number;
  readonly properties: object;
}
