import { median, spread } from "./statistics.ts";

/** A line of the table: a measurement, compared with the limit and the goal. */
export interface Line {
  readonly claim: string;
  readonly momo: string;
  readonly limit: string;
  readonly ratio: string;
  readonly plain: string;
  readonly goal: string;
  readonly spread: string;
}

export interface Comparison {
  readonly claim: string;
  readonly unit: string;
  /** One value for each round. */
  readonly momo: readonly number[];
  /** What momo is compared with; absent if the goal is absolute. */
  readonly limit?: readonly number[];
  /** The same of the plain limit. */
  readonly plain?: readonly number[];
  /** The name of the limit, if it is not the bare limit. */
  readonly against?: string;
  readonly goal: string;
}

/** The medians, their ratio, and the spread of the rounds. */
export function compare({ claim, unit, momo, limit, plain, against, goal }: Comparison): Line {
  const spreads = [momo, ...(limit ? [limit] : [])].map((values) =>
    values.length > 1 ? percent(spread(values)) : "-",
  );
  return {
    claim,
    momo: figure(median(momo), unit),
    limit: limit ? figure(median(limit), unit) + (against === undefined ? "" : ` (${against})`) : "-",
    ratio: limit ? ratioOf(momo, limit) : "-",
    plain: plain ? `${figure(median(plain), unit)}: ${ratioOf(momo, plain)}` : "-",
    goal,
    spread: spreads.join(" / "),
  };
}

/** A line for what could not be measured. */
export function leftOut(claim: string, why: string): Line {
  return { claim, momo: why, limit: "-", ratio: "-", plain: "-", goal: "-", spread: "-" };
}

function ratioOf(momo: readonly number[], limit: readonly number[]): string {
  return median(limit) > 0 ? (median(momo) / median(limit)).toFixed(2) : "-";
}

function percent(value: number): string {
  return Number.isFinite(value) ? `±${value.toFixed(0)} %` : "-";
}

/** A value with three significant digits. */
function figure(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${unit}`;
}

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
