/** A Markdown table of the ways to install momo, with the time of each step. */

/** Prints a row. It ends with the reason if `fill` fails, and the process ends with 1. */
export async function row(cells: string[], fill: (cells: string[]) => Promise<void>): Promise<void> {
  try {
    await fill(cells);
  } catch (error) {
    process.exitCode = 1;
    cells.push(`FAILED: ${(error as Error).message.trim().replaceAll("\n", " ")}`);
  }
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

export const stepTimes = (steps: readonly { readonly name: string; readonly ms: number }[]): string =>
  steps.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(", ");
