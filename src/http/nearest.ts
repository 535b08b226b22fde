import { closestMatch } from "leven";

/** The name that was probably meant: it differs in at most half of the letters, and in three at most. */
export const nearest = (word: string, names: readonly string[]): string | undefined =>
  closestMatch(word, names, { maxDistance: Math.min(3, Math.floor(word.length / 2)) });
