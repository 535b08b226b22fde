/** Randomness as an argument. */
export interface Random {
  /** `count` unpredictable bytes. In a test, the same seed gives the same bytes. */
  bytes(count: number): Uint8Array;
}

export interface SeededRandom extends Random {
  /** From now on, the bytes are those of the start again. */
  restart(): void;
}

/** Bytes that are the same for the same text: of a hash of it and a counter. */
export function randomFrom(seed: string): SeededRandom {
  let drawn = 0;
  return {
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at += 32) {
        const block = hash32(`${drawn++}:${seed}`);
        bytes.set(block.subarray(0, count - at), at);
      }
      return bytes;
    },
    restart() {
      drawn = 0;
    },
  };
}

/** 32 bytes that depend on a text alone. */
export const hash32 = (text: string): Uint8Array => Bun.SHA256.hash(text) as Uint8Array;

/** Crockford's base 32: no I, L, O or U, so that people can read an identifier aloud without mistakes. */
export const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An upper-case token of `length` characters, five random bits each. */
export function token(random: Random, length: number): string {
  return charactersOf(random.bytes(length), length);
}

/** Five bits of each of the first `length` bytes, as characters. */
export function charactersOf(bytes: Uint8Array, length: number): string {
  let text = "";
  for (let index = 0; index < length; index += 1) text += CROCKFORD[(bytes[index] ?? 0) & 31];
  return text;
}

/** A new seed, if the user gave none. The caller shows it, so that a run can be repeated. */
export function drawSeed(random: Random): number {
  return new DataView(random.bytes(4).buffer).getUint32(0);
}

/** Draws numbers from 0 to below 1. */
export interface Chance {
  (): number;
  /** The state, from which {@link seededChance} can continue. */
  state(): number;
}

/**
 * Numbers that are the same for the same seed (a 32-bit xorshift after a scramble of the seed).
 * @param drawn the state of an earlier chance with this seed, to continue from it
 */
export function seededChance(seed: number, drawn?: number): Chance {
  let state = drawn ?? Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  const draw = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return Object.assign(draw, { state: () => state });
}
