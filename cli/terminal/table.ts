import { type Piece, pieceText, styled } from "./output.ts";
import { lineWidth } from "./standard-output.ts";

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
export function layOut(columns: readonly Column[], rows: readonly Row[]): Piece[][] {
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
