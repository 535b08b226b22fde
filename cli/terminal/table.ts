import { type Piece, pieceText } from "./output.ts";
import { lineWidth } from "./standard-output.ts";

/** Lays out a table that fits the terminal. */

export interface Column {
  readonly name: string;
  readonly align?: "right";
  /** The smallest width to which its cells may be cut on a narrow terminal. */
  readonly least?: number;
  /** A narrow terminal leaves this column out; the smallest number first. */
  readonly drop?: number;
}

type Row = readonly Piece[];

const GAP = 2;

/** The lines of a table. The first line has the names of the columns. */
export function layOut(columns: readonly Column[], rows: readonly Row[]): Piece[][] {
  const head = columns.map(({ name }) => ({ style: "bold", text: name }) as const);
  const natural = columns.map((_, index) =>
    Math.max(...[head, ...rows].map((row) => Bun.stringWidth(pieceText(row[index] ?? "")))),
  );
  const widths = fit(columns, natural, lineWidth());
  return [head, ...rows].map((row) => lineOfRow(columns, widths, row));
}

/** The width of each column; 0 if it is left out. */
function fit(columns: readonly Column[], natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  const excess = () => {
    const shown = widths.filter((width) => width > 0);
    return shown.reduce((sum, width) => sum + width + GAP, -GAP) - available;
  };
  const dropOrder = columns
    .flatMap(({ drop }, index) => (drop === undefined ? [] : [{ drop, index }]))
    .sort((a, b) => a.drop - b.drop);
  for (;;) {
    columns.forEach(({ least }, index) => {
      const width = widths[index] ?? 0;
      if (least !== undefined && width > least) widths[index] = Math.max(least, width - Math.max(0, excess()));
    });
    const next = excess() > 0 ? dropOrder.shift() : undefined;
    if (!next) return widths;
    columns.forEach(({ least }, index) => {
      if (least !== undefined && widths[index] !== 0) widths[index] = natural[index] ?? 0;
    });
    widths[next.index] = 0;
  }
}

function lineOfRow(columns: readonly Column[], widths: readonly number[], row: Row): Piece[] {
  const pieces: Piece[] = [];
  const shown = columns.map((column, index) => ({ column, index })).filter(({ index }) => (widths[index] ?? 0) > 0);
  shown.forEach(({ column, index }, place) => {
    const width = widths[index] ?? 0;
    const cell = cut(row[index] ?? "", width);
    const padding = " ".repeat(Math.max(0, width - Bun.stringWidth(pieceText(cell))));
    const isLast = place === shown.length - 1;
    if (column.align === "right") pieces.push(padding, cell);
    else pieces.push(cell, ...(isLast ? [] : [padding]));
    if (!isLast) pieces.push(" ".repeat(GAP));
  });
  // An empty last cell leaves no spaces at the end of a line.
  while (pieces.length > 0 && pieceText(pieces.at(-1) ?? "").trim() === "") pieces.pop();
  return pieces;
}

/** Cuts a cell to a width, with an ellipsis at the end. */
function cut(piece: Piece, width: number): Piece {
  const text = pieceText(piece);
  if (Bun.stringWidth(text) <= width) return piece;
  let kept = "";
  for (const character of text) {
    if (Bun.stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return typeof piece === "string" ? `${kept}…` : { ...piece, text: `${kept}…` };
}
