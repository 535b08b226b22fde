/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/**
 * How far the rounds lie apart: half the way from the least to the greatest, in percent of the median. Of more than ten
 * rounds the outer tenths do not count.
 */
export function spread(values: readonly number[]): number {
  return ((quantile(values, 0.9) - quantile(values, 0.1)) / 2 / median(values)) * 100;
}

/** How long `work` takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/**
 * Rounds of several contenders by turns, so that what else the machine does befalls all of them alike.
 * @returns for each contender what its rounds returned
 */
export async function alternate<K extends string, T>(
  rounds: number,
  contenders: Readonly<Record<K, () => Promise<T>>>,
): Promise<Record<K, T[]>> {
  const names = Object.keys(contenders) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await contenders[name]());
  }
  return results;
}
