import { pagerCommand } from "../environment.ts";
import {
  cellOf,
  formatOf,
  lineOf,
  type OutputOptions,
  type Piece,
  pieceText,
  print,
  printFields,
  printJson,
  printTsv,
  styled,
  tell,
  tellCommand,
} from "./output.ts";
import { wrapped } from "./plain.ts";
import { isTerminal, lineWidth, writeOut } from "./standard-output.ts";

/** Prints all data by one rule: a table at a terminal, JSON in a pipe, or what `--format` says. */

/** @param essential the value that `-q` prints */
export function printRecord(record: object, options: OutputOptions, essential: string | number): void {
  if (options.quiet) print(String(essential));
  else if (formatOf(options) === "json") printJson(record);
  else if (formatOf(options) === "tsv") printTsv([record]);
  else printFields(Object.entries(record).map(([name, value]) => [name.replaceAll("_", " "), value] as const));
}

export interface List<T extends object> {
  /** The name of the list in JSON, the same as in the control API. */
  readonly name: string;
  readonly items: readonly T[];
  /** The member that `-q` prints, one a line. */
  readonly essential: keyof T;
  /** The columns for people. Without `cell`, a column shows the member of its name. */
  readonly columns: readonly (Column & { readonly cell?: (item: T) => Piece })[];
  /** The whole JSON, if it has more than the items. */
  readonly whole?: object;
  /** The text for people if the list is empty, and the next command. */
  readonly empty?: { readonly said: string; readonly next: string };
}

export function printList<T extends object>(list: List<T>, options: OutputOptions): void {
  const { items, columns } = list;
  if (options.quiet) for (const item of items) print(cellOf(item[list.essential]));
  else if (formatOf(options) === "json") printJson(list.whole ?? { [list.name]: items });
  else if (formatOf(options) === "tsv") printTsv(items);
  else if (items.length === 0 && list.empty) {
    tell(list.empty.said);
    tellCommand("Next:", list.empty.next);
  } else {
    const rows = items.map((item) =>
      columns.map(
        ({ name, cell }) => cell?.(item) ?? cellOf((item as Record<string, unknown>)[name.replaceAll(" ", "_")]),
      ),
    );
    const lines = layOut(columns, rows).flatMap((line) => wrapped(lineOf(line, isTerminal), lineWidth()));
    page(lines);
  }
}

/** Lays out a table that fits the terminal. Nothing is cut: columns that do not fit go below their row, the last ones first. */

export interface Column {
  readonly name: string;
  readonly align?: "right";
  /** A narrow terminal leaves it out. */
  readonly optional?: true;
}

type Row = readonly Piece[];

const GAP = "  ";
const INDENT = "    ";

/** The lines of a table. The first line has the names of the columns. */
function layOut(columns: readonly Column[], rows: readonly Row[]): Piece[][] {
  const all: readonly Row[] = [columns.map(({ name }) => styled("bold", name)), ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => widthOf(row[index] ?? ""))));
  const fits = (shown: readonly number[]) =>
    shown.reduce((sum, index) => sum + (widths[index] ?? 0) + GAP.length, -GAP.length) <= lineWidth();
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

/** Prints lines. If a terminal cannot show all of them, they go through `$PAGER`, by default less. */
function page(lines: readonly string[]): void {
  const text = lines.map((line) => `${line}\n`).join("");
  const isLong = isTerminal() && lines.length > (process.stdout.rows || Number.POSITIVE_INFINITY) - 2;
  if (!isLong || !showInPager(text)) writeOut(text);
}

/** @returns whether there is a pager */
function showInPager(text: string): boolean {
  const pager = pagerCommand();
  if (pager === null || !process.stdin.isTTY || Bun.which("sh") === null) return false;
  // Ctrl+C is for the pager. If we ended first, the pager and the shell would both read the terminal.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const { exitCode } = Bun.spawnSync(["sh", "-c", pager.command], {
      stdin: Buffer.from(text),
      stdout: "inherit",
      stderr: "ignore",
      env: pager.environment,
    });
    // A shell ends with 126 or 127 if it cannot run the program.
    return exitCode !== 126 && exitCode !== 127;
  } finally {
    process.off("SIGINT", ignore);
  }
}
