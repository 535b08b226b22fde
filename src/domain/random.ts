/** Chance as an argument. */
export interface Random {
  /** `count` bytes that nobody can guess (in a test: that a seed repeats). */
  bytes(count: number): Uint8Array;
}

/** Crockford's base 32: no I, L, O or U, so that an identifier read aloud arrives. */
export const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An upper-case token of `length` characters, five random bits each. */
export function token(random: Random, length: number): string {
  let text = "";
  for (const byte of random.bytes(length)) text += CROCKFORD[byte & 31];
  return text;
}
