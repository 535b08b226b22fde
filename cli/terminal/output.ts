import { redact } from "../../src/domain/credentials.ts";
import { onFirstUse } from "../../src/domain/on-first-use.ts";
import { wantsColour } from "../environment.ts";
import type { Failure } from "./failure.ts";
import { jsonText, plain } from "./plain.ts";
import { isTerminal, writeOut } from "./standard-output.ts";

/** Data goes to stdout, all else to stderr. */

export const FORMATS = ["table", "json", "tsv"] as const;
export type Format = (typeof FORMATS)[number];

/** How the answer of a command is wanted. */
export interface OutputOptions {
  readonly format?: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Laid out at a terminal, JSON elsewhere, unless an option says otherwise. */
export const formatOf = ({ format, json }: OutputOptions): Format =>
  json ? "json" : (format ?? (isTerminal() ? "table" : "json"));

/** Who asks for JSON is a program, and is asked nothing. */
export const asksForJson = ({ format, json }: OutputOptions): boolean => json === true || format === "json";

/** Whether failures are JSON, too: known before the options are read. */
export function asksJson(words: readonly string[]): boolean {
  return words.some(
    (word, index) =>
      word === "--json" || word === "--format=json" || (word === "--format" && words[index + 1] === "json"),
  );
}

type Style = "bold" | "dim" | "green" | "red" | "yellow";

/** Coloured on a terminal that wants it, else as it is. */
export interface Styled {
  readonly style: Style;
  readonly text: string;
}

export const styled = (style: Style, text: string): Styled => ({ style, text });

/** A piece of a line. Whatever it holds, and whoever wrote it, a terminal obeys none of it. */
export type Piece = string | Styled;

/** What is seen of a piece. */
export const pieceText = (piece: Piece): string => plain(typeof piece === "string" ? piece : piece.text);

/** The border: all that people read on stdout or stderr goes through here, one line at a time. */
export function lineOf(pieces: readonly Piece[], isForTerminal: () => boolean): string {
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return plain(piece);
      const text = plain(piece.text);
      return isForTerminal() && wantsColour() ? util().styleText(piece.style, text, { validateStream: false }) : text;
    })
    .join("");
}

/** Loaded when there is something to colour. */
const util = () => process.getBuiltinModule("node:util");

/** A line of data. */
export function print(...pieces: Piece[]): void {
  writeOut(`${lineOf(pieces, isTerminal)}\n`);
}

/** Opened when there is something to write, which takes a millisecond. Where nobody reads it, there is nobody to tell. */
export const stderr = onFirstUse(() => process.stderr.on("error", () => {}));

/** A line for people who watch; never data. */
export function tell(...pieces: Piece[]): void {
  stderr().write(`${lineOf(pieces, isErrorTerminal)}\n`);
}

export const isErrorTerminal = (): boolean => Boolean(process.stderr.isTTY);

/** What went wrong where nobody waits for an answer. */
export function reportFault(error: unknown): void {
  tell(`momo: ${faultText(error)}`);
}

/** An error in one line: what happened, then its causes, each once and without a secret. */
export function faultText(error: unknown): string {
  const messages: string[] = [];
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined; depth += 1) {
    const message = redact(cause instanceof Error ? cause.message : String(cause));
    // Some errors repeat what caused them.
    if (!messages.some((said) => said.includes(message))) messages.push(message);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(": ");
}

/** Errors may cause each other in a circle. */
const MAX_CAUSES = 5;

/** JSON is indented for a reader at a terminal, and one line elsewhere. */
export function printJson(value: unknown): void {
  writeOut(`${jsonText(value, isTerminal() ? 2 : 0)}\n`);
}

/** Lines of a name and a value, aligned. */
export function printFields(fields: readonly (readonly [string, unknown])[]): void {
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) print(styled("dim", name.padEnd(width)), "  ", cellOf(value));
}

/** A value of JSON as text. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Records as tab-separated lines below the names of their members; a tab or a line feed in a value is escaped. */
export function printTsv(records: readonly object[], { withNames } = { withNames: true }): void {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  if (names.length === 0) return;
  const escaped = (text: string) =>
    text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const rows = records.map((record) => names.map((name) => escaped(cellOf((record as Record<string, unknown>)[name]))));
  for (const row of withNames ? [names.map(escaped), ...rows] : rows) writeOut(`${row.map(plain).join("\t")}\n`);
}

/** A failure in the form that was asked for. */
export function tellFailure(failure: Failure, json: boolean): void {
  // A secret may have come in as the value of a wrong flag.
  const message = redact(failure.message);
  const hint = failure.hint && redact(failure.hint);
  if (json) {
    tell(jsonText({ error: { code: failure.code, message, hint } }));
    return;
  }
  tell(`momo: ${message}`);
  if (hint !== null) tell(`      ${hint}`);
}
