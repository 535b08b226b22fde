/** The value below which `share` of the values are. */
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
 * The spread of the rounds: half the difference between the smallest and the largest value, in percent of the median. With more
 * than ten rounds, the lowest and the highest tenth do not count.
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
 * Runs rounds of several contenders in turn, so that other work of the machine slows all of them down equally.
 * @returns the results of the rounds of each contender
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
