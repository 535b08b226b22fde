import { redact } from "../../src/domain/redact.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import type { Environment } from "../environment.ts";
import type { Failure, FailureCode } from "./failure.ts";
import type { StandardError, StandardOutput, Stream } from "./streams.ts";

export const FORMATS = ["table", "json", "tsv"] as const;
export type Format = (typeof FORMATS)[number];

/** Options for the form of the output. */
export interface OutputOptions {
  readonly format?: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

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
export function lineOf(pieces: readonly Piece[], hasColours: () => boolean): string {
  const coloured = (piece: Piece) => {
    const text = pieceText(piece);
    if (typeof piece === "string" || !hasColours()) return text;
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

/** Prints for one command: data to stdout, everything else to stderr. */
export class Output {
  readonly #told = new Set<string>();

  constructor(
    readonly stdout: StandardOutput,
    readonly stderr: StandardError,
    readonly environment: Environment,
  ) {}

  /** By default a table at a terminal, and JSON elsewhere. */
  formatOf({ format, json }: OutputOptions): Format {
    return json ? "json" : (format ?? (this.stdout.isTerminal() ? "table" : "json"));
  }

  /** Prints a line of data. */
  print(...pieces: Piece[]): void {
    this.stdout.write(`${this.lineFor(this.stdout, pieces)}\n`);
  }

  /** Prints a line of text for people, which may be broken between words. */
  printText(...pieces: Piece[]): void {
    this.stdout.write(`${forPeople(this.lineFor(this.stdout, pieces), this.stdout.width())}\n`);
  }

  printCommand(command: string): void {
    for (const line of commandLines(command, this.stdout.width())) this.print(line);
  }

  /** Prints JSON, indented at a terminal and on one line elsewhere. */
  printJson(value: unknown): void {
    this.stdout.write(`${jsonText(value, this.stdout.isTerminal() ? 2 : 0)}\n`);
  }

  /** Prints a line per field: name and value, aligned. On a narrow terminal, a long value is below its name. */
  printFields(fields: readonly (readonly [string, unknown])[], indent = ""): void {
    const width = indent.length + Math.max(...fields.map(([name]) => name.length));
    for (const [name, value] of fields) {
      const text = cellOf(value);
      const label = styled("dim", (indent + name).padEnd(width));
      const room = this.stdout.width() - width - 2;
      if (Bun.stringWidth(text) <= room) this.print(label, "  ", text);
      else if (room >= MIN_ROOM && text.includes(" ")) {
        const [first = "", ...rest] = wrapped(text, room);
        this.print(label, "  ", first);
        for (const line of rest) this.print(" ".repeat(width + 2), line);
      } else {
        this.print(styled("dim", indent + name));
        this.printText(`${indent}  ${text}`);
      }
    }
  }

  /** Prints records as tab-separated lines below the names of their members. Escapes tabs and line feeds in values. */
  printTsv(records: readonly object[], { withNames } = { withNames: true }): void {
    const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
    if (names.length === 0) return;
    const rows = records.map((record) => names.map((name) => cellOf((record as Record<string, unknown>)[name])));
    for (const row of withNames ? [names, ...rows] : rows)
      this.stdout.write(`${row.map(escaped).map(visible).join("\t")}\n`);
  }

  /** Prints data by the one rule: a layout at a terminal, JSON in a pipe, or what `-q`, `--json` and `--format` say. */
  printData(options: OutputOptions, { json, rows = [json], essential = [], layout }: Data): void {
    const format = this.formatOf(options);
    if (options.quiet) for (const value of essential) this.print(value);
    else if (format === "json") this.printJson(json);
    else if (format === "tsv") this.printTsv(rows);
    else layout();
  }

  /** Prints a line for people; never data. */
  tell(...pieces: Piece[]): void {
    this.stderr.write(`${forPeople(this.lineFor(this.stderr, pieces), this.stderr.width())}\n`);
  }

  /** Tells a line that was not told before. */
  readonly warn = (line: string): void => {
    if (!this.#told.has(line)) this.tell(line);
    this.#told.add(line);
  };

  /** A line of text and a command: beside it, or below it if it is long. */
  tellCommand(lead: string, command: string): void {
    const width = this.stderr.width();
    if (`${lead} ${command}`.length <= width) this.tell(`${lead} ${command}`);
    else {
      this.tell(lead);
      this.stderr.write(`${commandLines(visible(command), width).join("\n")}\n`);
    }
  }

  /** Prints a failure, as JSON if that was asked for. */
  tellFailure(failure: Failure, json: boolean): void {
    const error = shownFailure(failure);
    if (json) {
      this.stderr.write(`${jsonText({ error })}\n`);
      return;
    }
    for (const line of failureLines(error)) this.tell(line);
  }

  /** Prints an error that no caller waits for. */
  readonly reportFault = (error: unknown): void => this.tell(`momo: ${faultText(error)}`);

  /** A line for one of the two streams. */
  lineFor(stream: Stream, pieces: readonly Piece[]): string {
    return lineOf(pieces, () => this.environment.wantsColour(() => stream.isTerminal()));
  }
}

/** A command that can be pasted, in lines that fit the width. */
export function commandLines(command: string, width: number): string[] {
  // A quoted word may have spaces, at which it must not be broken.
  const lines = wrapped(`  ${command}`, command.includes("'") ? Number.POSITIVE_INFINITY : width - " \\".length);
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
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

/** The narrowest column of text that reads well. */
const MIN_ROOM = 24;

/** A value of JSON as text. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A cell of a tab-separated line. */
const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");

interface Data {
  readonly json: object;
  /** The records, if the data is not one. */
  readonly rows?: readonly object[];
  /** What `-q` prints, one a line. */
  readonly essential?: readonly string[];
  /** Prints it for people. */
  readonly layout: () => void;
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
