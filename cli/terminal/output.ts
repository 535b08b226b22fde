import { once } from "../../src/domain/once.ts";
import { redact } from "../../src/domain/redact.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import { wantsColour } from "../environment.ts";
import { host } from "../host.ts";
import type { Failure, FailureCode } from "./failure.ts";
import { isTerminal, lineWidth, writeOut } from "./standard-output.ts";

/** Data goes to stdout, everything else to stderr. */

export const FORMATS = ["table", "json", "tsv"] as const;
export type Format = (typeof FORMATS)[number];

/** Options for the form of the output. */
export interface OutputOptions {
  readonly format?: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** By default a table at a terminal, and JSON elsewhere. */
export const formatOf = ({ format, json }: OutputOptions): Format =>
  json ? "json" : (format ?? (isTerminal() ? "table" : "json"));

/** Whether JSON is asked for. Then the caller is a program, so commands ask no questions. */
export const asksForJson = ({ format, json }: OutputOptions): boolean => json === true || format === "json";

/** Whether failures are printed as JSON. Needed before the options are parsed, because parsing can fail. */
export function asksJson(words: readonly string[]): boolean {
  return words.some(
    (word, index) =>
      word === "--json" || word === "--format=json" || (word === "--format" && words[index + 1] === "json"),
  );
}

/** How a terminal begins and ends each style. */
const STYLES = { bold: [1, 22], dim: [2, 22], green: [32, 39], red: [31, 39], yellow: [33, 39] } as const;
type Style = keyof typeof STYLES;

/** Text with a colour, if the terminal shows colours. */
export interface Styled {
  readonly style: Style;
  readonly text: string;
}

export const styled = (style: Style, text: string): Styled => ({ style, text });

/** A piece of a line. {@link lineOf} makes it harmless for a terminal. */
export type Piece = string | Styled;

/** The visible text of a piece. */
export const pieceText = (piece: Piece): string => visible(typeof piece === "string" ? piece : piece.text);

/** Makes a line for stdout or stderr. All text for people goes through this function, which makes it harmless. */
export function lineOf(pieces: readonly Piece[], isForTerminal: () => boolean): string {
  const coloured = (piece: Piece) => {
    const text = pieceText(piece);
    if (typeof piece === "string" || !wantsColour(isForTerminal)) return text;
    const [begin, end] = STYLES[piece.style];
    return `\x1b[${begin}m${text}\x1b[${end}m`;
  };
  return pieces.map(coloured).join("");
}

/** Text of several lines for people. */
export const forPeople = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => wrapped(line, width))
    .join("\n");

/** Prints a line of data. */
export function print(...pieces: Piece[]): void {
  writeOut(`${lineOf(pieces, isTerminal)}\n`);
}

/** Prints a line of text for people, which may be broken between words. */
export function printText(...pieces: Piece[]): void {
  writeOut(`${forPeople(lineOf(pieces, isTerminal), lineWidth())}\n`);
}

/** A write error is ignored: there is no other place to report it. */
export const stderr = once(() => process.stderr.on("error", () => {}));

export function writeError(text: string): void {
  const { captured } = host();
  if (captured) captured.error(text);
  else stderr().write(text);
}

/** Prints a line for people; never data. */
export function tell(...pieces: Piece[]): void {
  writeError(`${forPeople(lineOf(pieces, isErrorTerminal), errorWidth())}\n`);
}

export const isErrorTerminal = (): boolean => !host().captured && Boolean(process.stderr.isTTY);

/** The descriptor of stderr. */
export const STDERR = 2;

export const errorWidth = (): number => lineWidth(STDERR);

/** A line of text and a command: beside it, or below it if it is long. */
export function tellCommand(lead: string, command: string): void {
  if (`${lead} ${command}`.length <= errorWidth()) tell(`${lead} ${command}`);
  else {
    tell(lead);
    writeError(`${commandLines(lineOf([command], isErrorTerminal), errorWidth()).join("\n")}\n`);
  }
}

/** A command that can be pasted, in lines that fit the width. */
export function commandLines(command: string, width: number): string[] {
  // A quoted word may have spaces, at which it must not be broken.
  const lines = wrapped(`  ${command}`, command.includes("'") ? Number.POSITIVE_INFINITY : width - " \\".length);
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

export function printCommand(command: string): void {
  for (const line of commandLines(command, lineWidth())) print(line);
}

/** Prints an error that no caller waits for. */
export function reportFault(error: unknown): void {
  tell(`momo: ${faultText(error)}`);
}

/** An error and its causes in one line, each once and without secrets. */
export function faultText(error: unknown): string {
  const errors = new Set<unknown>();
  let cause = error;
  while (cause !== undefined && !errors.has(cause) && errors.size < MAX_CAUSES) {
    errors.add(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return [...errors].map((one) => redact(one instanceof Error ? one.message : String(one))).join(": ");
}

const MAX_CAUSES = 5;

/** Prints JSON, indented at a terminal and on one line elsewhere. */
export function printJson(value: unknown): void {
  writeOut(`${jsonText(value, isTerminal() ? 2 : 0)}\n`);
}

/** Prints a line per field: name and value, aligned. On a narrow terminal, a long value is below its name. */
export function printFields(fields: readonly (readonly [string, unknown])[], indent = ""): void {
  const width = indent.length + Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) {
    const text = cellOf(value);
    const label = styled("dim", (indent + name).padEnd(width));
    const room = lineWidth() - width - 2;
    if (Bun.stringWidth(text) <= room) print(label, "  ", text);
    else if (room >= MIN_ROOM && text.includes(" ")) {
      const [first = "", ...rest] = wrapped(text, room);
      print(label, "  ", first);
      for (const line of rest) print(" ".repeat(width + 2), line);
    } else {
      print(styled("dim", indent + name));
      printText(`${indent}  ${text}`);
    }
  }
}

/** The narrowest column of text that reads well. */
const MIN_ROOM = 24;

/** A value of JSON as text. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Prints records as tab-separated lines below the names of their members. Escapes tabs and line feeds in values. */
export function printTsv(records: readonly object[], { withNames } = { withNames: true }): void {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  if (names.length === 0) return;
  const escaped = (text: string) =>
    text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const rows = records.map((record) => names.map((name) => escaped(cellOf((record as Record<string, unknown>)[name]))));
  for (const row of withNames ? [names.map(escaped), ...rows] : rows) writeOut(`${row.map(visible).join("\t")}\n`);
}

interface Data {
  readonly json: object;
  /** The records, if the data is not one. */
  readonly rows?: readonly object[];
  /** What `-q` prints, one a line. */
  readonly essential?: readonly string[];
  /** Prints it for people. */
  readonly layout: () => void;
}

/** Prints data by the one rule: a layout at a terminal, JSON in a pipe, or what `-q`, `--json` and `--format` say. */
export function printData(options: OutputOptions, { json, rows = [json], essential = [], layout }: Data): void {
  const format = formatOf(options);
  if (options.quiet) for (const value of essential) print(value);
  else if (format === "json") printJson(json);
  else if (format === "tsv") printTsv(rows);
  else layout();
}

/** Prints a failure, as JSON if that was asked for. */
export function tellFailure(failure: Failure, json: boolean): void {
  const error = shownFailure(failure);
  if (json) {
    writeError(`${jsonText({ error })}\n`);
    return;
  }
  for (const line of failureLines(error)) tell(line);
}

/** A failure as it is shown. */
export interface ShownFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly hint: string | null;
}

/** The value of a wrong flag may be a secret. */
export const shownFailure = ({ code, message, hint }: Failure): ShownFailure => ({
  code,
  message: redact(message),
  hint: hint && redact(hint),
});

export const failureLines = ({ message, hint }: ShownFailure): string[] =>
  hint === null ? [`momo: ${message}`] : [`momo: ${message}`, `      ${hint}`];

/** Breaks a line between words where it is wider than the terminal, and keeps its indentation. */
export function wrapped(line: string, width: number): string[] {
  if (Bun.stringWidth(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = "";
  for (const word of line.slice(indent.length).split(" ")) {
    const longer = current === "" ? indent + word : `${current} ${word}`;
    const isFull = current !== "" && Bun.stringWidth(longer) > width;
    if (isFull) lines.push(current.trimEnd());
    current = isFull ? indent + word : longer;
  }
  return [...lines, current];
}
