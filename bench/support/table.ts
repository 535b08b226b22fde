import type { Line } from "./line.ts";

const HEADINGS: Line = {
  claim: "claim",
  momo: "momo",
  limit: "limit",
  ratio: "ratio",
  plain: "plain limit: ratio",
  goal: "goal",
  spread: "spread (momo / limit)",
};
const COLUMNS = Object.keys(HEADINGS) as (keyof Line)[];

/** For a terminal. */
export function alignedTable(lines: readonly Line[]): string {
  const all = [HEADINGS, ...lines];
  const widths = COLUMNS.map((column) => Math.max(...all.map((line) => line[column].length)));
  return all
    .map((line) =>
      COLUMNS.map((column, place) => line[column].padEnd(widths[place] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** For a document. */
export function markdownTable(lines: readonly Line[]): string {
  const row = (line: Line) => `| ${COLUMNS.map((column) => line[column]).join(" | ")} |`;
  return [row(HEADINGS), `|${"---|".repeat(COLUMNS.length)}`, ...lines.map(row)].join("\n");
}
