/** The rounds of the contenders, and the table that compares them. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** How long `work` takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/**
 * Runs rounds of several contenders in turn, so that other work of the machine slows all of them down equally.
 * @returns the results of the rounds of each contender
 */
export async function alternate<K extends string, C, T>(
  rounds: number,
  contenders: Readonly<Record<K, C>>,
  measure: (contender: C, name: K) => Promise<T>,
): Promise<Record<K, T[]>> {
  const names = Object.keys(contenders) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await measure(contenders[name], name));
  }
  return results;
}

/** One figure of each round. */
export function figures<K extends string, T>(results: Record<K, T[]>, figure: keyof T) {
  const entries = Object.entries<T[]>(results).map(([name, rounds]) => [name, rounds.map((round) => round[figure])]);
  return Object.fromEntries(entries) as Record<K, number[]>;
}

/** A line of the table: a measurement, compared with the limit and the goal. */
export interface Line {
  readonly claim: string;
  readonly momo: string;
  readonly limit: string;
  readonly ratio: string;
  readonly goal: string;
}

interface Compared {
  /** One value for each round. */
  readonly momo: readonly number[];
  /** What momo is compared with; absent if the goal is absolute. */
  readonly limit?: readonly number[];
  /** The name of the limit, if it is not the bare limit. */
  readonly against?: string;
}

/** The medians and their ratio. */
export function compare(claim: string, unit: string, { momo, limit, against }: Compared, goal: string): Line {
  return {
    claim,
    momo: figure(median(momo), unit),
    limit: limit ? figure(median(limit), unit) + (against === undefined ? "" : ` (${against})`) : "-",
    ratio: limit ? ratioOf(momo, limit) : "-",
    goal,
  };
}

/** A line for what could not be measured. */
export const leftOut = (claim: string, why: string): Line => ({ ...compare(claim, "", { momo: [] }, "-"), momo: why });

function ratioOf(momo: readonly number[], limit: readonly number[]): string {
  return median(limit) > 0 ? (median(momo) / median(limit)).toFixed(2) : "-";
}

/** A value with three significant digits; NaN is what this system does not tell. */
function figure(value: number, unit: string): string {
  if (Number.isNaN(value)) return "-";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${unit}`;
}

const HEADINGS: Line = {
  claim: "claim",
  momo: "momo",
  limit: "limit",
  ratio: "ratio",
  goal: "goal",
};
const COLUMNS = Object.keys(HEADINGS) as (keyof Line)[];

/** In Markdown, for a terminal and for a document. */
export function tableOf(lines: readonly Line[]): string {
  const all = [HEADINGS, ...lines];
  const widths = COLUMNS.map((column) => Math.max(...all.map((line) => line[column].length)));
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const [headings = "", ...rows] = all.map((line) =>
    row(COLUMNS.map((column, place) => line[column].padEnd(widths[place] ?? 0))),
  );
  return [headings, row(widths.map((width) => "-".repeat(width))), ...rows].join("\n");
}
