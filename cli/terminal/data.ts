import type { Pager } from "../environment.ts";
import { cellOf, type Output, type OutputOptions, type Piece, pieceText, styled, wrapped } from "./output.ts";

/** Prints all data by one rule: a table at a terminal, JSON in a pipe, or what `--format` says. */

/** @param essential the value that `-q` prints */
export function printRecord(out: Output, record: object, options: OutputOptions, essential: string | number): void {
  const fields = Object.entries(record).map(([name, value]) => [name.replaceAll("_", " "), value] as const);
  out.printData(options, { json: record, essential: [String(essential)], layout: () => out.printFields(fields) });
}

/** A column for people: its name, which is that of a member, or how to make its cells. */
export type Column<T> =
  | (keyof T & string)
  | {
      readonly name: string;
      readonly cell?: (item: T) => Piece;
      readonly align?: "right";
      /** A narrow terminal leaves it out. */
      readonly optional?: true;
    };

interface List<T extends object> {
  /** The name of the list in JSON, the same as in the control API. */
  readonly name: string;
  readonly items: readonly T[];
  /** The member that `-q` prints, one a line. */
  readonly essential: keyof T;
  readonly columns: readonly Column<T>[];
  /** The whole JSON, if it has more than the items. */
  readonly whole?: object;
  /** The text for people if the list is empty, and the next command. */
  readonly empty?: { readonly said: string; readonly next: string };
}

export function printList<T extends object>(out: Output, list: List<T>, options: OutputOptions): void {
  const { name, items, essential, columns, empty, whole = { [name]: items } } = list;
  const layout = () => {
    if (items.length > 0 || !empty) return printLong(out, tableLines(out, columns, items));
    out.tell(empty.said);
    out.tellCommand("Next:", empty.next);
  };
  out.printData(options, { json: whole, rows: items, essential: items.map((item) => cellOf(item[essential])), layout });
}

type Row = readonly Piece[];

const GAP = "  ";
const INDENT = "    ";

/** The lines of a table, of which the first has the names of the columns. Columns that do not fit go below their row, the last ones first. */
function layOut<T extends object>(given: readonly Column<T>[], items: readonly T[], width: number): Piece[][] {
  const columns = given.map((column) => (typeof column === "string" ? { name: column } : column));
  const rows = items.map((item) =>
    columns.map(
      ({ name, cell }) => cell?.(item) ?? cellOf((item as Record<string, unknown>)[name.replaceAll(" ", "_")]),
    ),
  );
  const all: readonly Row[] = [columns.map(({ name }) => styled("bold", name)), ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => widthOf(row[index] ?? ""))));
  const fits = (shown: readonly number[]) =>
    shown.reduce((sum, index) => sum + (widths[index] ?? 0) + GAP.length, -GAP.length) <= width;
  let shown = columns.map((_, index) => index);
  if (!fits(shown)) shown = shown.filter((index) => !columns[index]?.optional);
  let count = shown.length;
  while (count > 1 && !fits(shown.slice(0, count))) count -= 1;
  return all.flatMap((row) => {
    const beside = shown.slice(0, count).flatMap((index, place) => {
      const cell = row[index] ?? "";
      const padding = " ".repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
      const gap = place === 0 ? "" : GAP;
      return columns[index]?.align === "right" ? [gap + padding, cell] : [gap, cell, padding];
    });
    // Empty cells leave no spaces at the end of a line.
    while (pieceText(beside.at(-1) ?? "x").trim() === "") beside.pop();
    const below = shown.slice(count).flatMap((index) => (widthOf(row[index] ?? "") > 0 ? [GAP, row[index] ?? ""] : []));
    return below.length === 0 ? [beside] : [beside, [INDENT, ...below.slice(1)]];
  });
}

const widthOf = (piece: Piece): number => Bun.stringWidth(pieceText(piece));

/** A table in lines that fit the terminal. */
function tableLines<T extends object>(out: Output, columns: readonly Column<T>[], items: readonly T[]): string[] {
  const { stdout } = out;
  return layOut(columns, items, stdout.width()).flatMap((line) => wrapped(out.lineFor(stdout, line), stdout.width()));
}

/** Prints lines. If a terminal cannot show all of them, they go through `$PAGER`, by default less. */
function printLong({ stdout, environment }: Output, lines: readonly string[]): void {
  const text = lines.map((line) => `${line}\n`).join("");
  const isLong = stdout.isTerminal() && lines.length > (process.stdout.rows || Number.POSITIVE_INFINITY) - 2;
  if (!isLong || !showInPager(text, environment.pagerCommand())) stdout.write(text);
}

/** Prints a whole text. Text from another service must not move the cursor or change the direction of the text. Long prose is wrapped. */
export function printWhole(out: Output, text: string, isProse: boolean): void {
  if (!out.stdout.isTerminal()) {
    out.stdout.write(text);
    return;
  }
  for (const line of text.trimEnd().split("\n")) {
    if (isProse) out.printText(line);
    else out.print(line);
  }
}

/** @returns whether there is a pager */
function showInPager(text: string, pager: Pager | null): boolean {
  if (pager === null || !process.stdin.isTTY || Bun.which("sh") === null) return false;
  // Ctrl+C is for the pager. If we ended first, the pager and the shell would both read the terminal.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const { exitCode } = Bun.spawnSync(["sh", "-c", pager.command], {
      stdin: Buffer.from(text),
      stdout: "inherit",
      stderr: "inherit", // more reads keys from it
      env: pager.environment,
    });
    // A shell ends with 126 or 127 if it cannot run the program.
    return exitCode !== 126 && exitCode !== 127;
  } finally {
    process.off("SIGINT", ignore);
  }
}
