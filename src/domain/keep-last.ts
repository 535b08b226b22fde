/** Adds to a list that keeps the last entries, `most` of them. @returns the entry that it drops */
export function keepLast<T>(kept: T[], added: T, most: number): T | undefined {
  kept.push(added);
  return kept.length > most ? kept.shift() : undefined;
}
