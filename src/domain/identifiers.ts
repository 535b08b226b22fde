import { CROCKFORD, charactersOf, type Random, token } from "./random.ts";
import { formatTimestamp } from "./timestamp.ts";
import type { TransactionIdentifiers } from "./transaction.ts";

/**
 * All identifiers of a transaction derive from its number. A lookup decodes the number, reads the row by its primary key, and
 * compares the whole identifier.
 */

/** The greatest number. Up to it, the endings of receipt numbers are unique. */
export const MAX_NUMBER = 36 ** 7 - 1;

/** 60 random bits, stored with the payment, so that a request id cannot be guessed. */
const SECRET_LENGTH = 12;
/** Each number has 40 bits. */
const NUMBER_LENGTH = 8;

/** The position of the number in a request id: after `ws_CO_`, 14 digits and `_`. */
const NUMBER_START = 21;
const REQUEST_ID_LENGTH = NUMBER_START + NUMBER_LENGTH + SECRET_LENGTH;

/** The random part of a checkout request id. The other parts derive from the row, so only this part is stored. */
export const secretOf = (checkoutRequestId: string): string => checkoutRequestId.slice(-SECRET_LENGTH);

export interface RequestIds {
  /** The ids of a payment whose secret has been stored. */
  readonly restore: (id: number, createdAtMs: number, secret: string) => TransactionIdentifiers;
  /** The ids of a payment that is just starting. */
  readonly issue: (id: number, createdAtMs: number, random: Random) => TransactionIdentifiers;
  /**
   * The number that a request id decodes to, in any letter case. The caller must then compare the whole id, because any text
   * of this form decodes to a number.
   */
  numberOf(requestId: string): number | null;
}

/**
 * Writes and reads request ids under the key of one database.
 *
 * A request id is `ws_CO_<timestamp>_<token>` or `ws_MR_<timestamp>_<token>` (§2.2). The token is the number, permuted to hide
 * the order of payments, and 12 random characters. The merchant request id uses another key for the permutation, and a keyed hash
 * instead of the random characters, so that neither id can be computed from the other.
 * @param key 32 secret bytes
 */
export function createRequestIds(key: Uint8Array): RequestIds {
  const words = new DataView(key.buffer, key.byteOffset).getUint32.bind(new DataView(key.buffer, key.byteOffset));
  const checkout = createPermutation([words(0), words(4), words(8), words(12)]);
  const merchant = createPermutation([words(16), words(20), words(24), words(28)]);
  const hashKey = key.toHex();

  function restore(id: number, createdAtMs: number, secret: string): TransactionIdentifiers {
    const at = wallClock(createdAtMs);
    return {
      id,
      checkoutRequestId: `ws_CO_${at}_${encode(checkout.forward(id))}${secret}`,
      merchantRequestId: `ws_MR_${at}_${encode(merchant.forward(id))}${hashOf(hashKey + secret)}`,
    };
  }

  return {
    restore,
    issue: (id: number, createdAtMs: number, random: Random) => restore(id, createdAtMs, token(random, SECRET_LENGTH)),
    numberOf(requestId: string): number | null {
      if (requestId.length !== REQUEST_ID_LENGTH) return null;
      const value = decode(requestId, NUMBER_START, NUMBER_START + NUMBER_LENGTH);
      if (value === null) return null;
      const kind = requestId.slice(3, 5).toUpperCase();
      return kind === "CO" ? checkout.backward(value) : kind === "MR" ? merchant.backward(value) : null;
    },
  };
}

/** 60 bits of a hash, as {@link SECRET_LENGTH} characters. */
const hashOf = (text: string): string => charactersOf(Bun.SHA256.hash(text) as Uint8Array, SECRET_LENGTH);

const HALF = 2 ** 20;

/**
 * A Feistel network over 40 bits. It hides the order of numbers. The random part of an id protects it from guessing.
 */
function createPermutation(keys: readonly number[]) {
  const backwards = keys.toReversed();
  function run(value: number, roundKeys: readonly number[]): number {
    let left = Math.floor(value / HALF);
    let right = value % HALF;
    for (let round = 0; round < roundKeys.length; round += 1) {
      const mixed = left ^ mix(right, roundKeys[round] ?? 0);
      left = right;
      right = mixed;
    }
    return right * HALF + left;
  }
  return {
    forward: (value: number) => run(value, keys),
    // The halves of the result are swapped, so that the same rounds in reverse order decode it.
    backward: (value: number) => run(value, backwards),
  };
}

/** 20 bits that depend on all bits of both arguments. */
function mix(half: number, roundKey: number): number {
  let mixed = Math.imul(half ^ roundKey, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae3d);
  return (mixed ^ (mixed >>> 16)) & (HALF - 1);
}

/** Two characters for each value of ten bits, once they were used: a number is written in a quarter of the time that single characters take. */
const PAIRS = new Array<string | undefined>(1024);

function pair(value: number): string {
  PAIRS[value] ??= CROCKFORD.charAt(value >> 5) + CROCKFORD.charAt(value & 31);
  return PAIRS[value];
}

/** {@link NUMBER_LENGTH} characters of five bits. */
function encode(value: number): string {
  const high = Math.floor(value / HALF);
  const low = value % HALF;
  return pair(high >> 10) + pair(high & 1023) + pair(low >> 10) + pair(low & 1023);
}

/** The value of each character, by its code, in either letter case. */
const VALUES = new Int8Array(128).fill(-1);
for (const [value, character] of [...CROCKFORD].entries()) {
  VALUES[character.charCodeAt(0)] = value;
  VALUES[character.toLowerCase().charCodeAt(0)] = value;
}

function decode(text: string, start: number, end: number): number | null {
  let value = 0;
  for (let index = start; index < end; index += 1) {
    const digit = VALUES[text.charCodeAt(index)] ?? -1;
    if (digit < 0) return null;
    value = value * 32 + digit;
  }
  return value;
}

/** The last second and its text, because many payments start in one second: a text takes 1 % of a payment. */
let lastSecond = Number.NaN;
let lastText = "";

/** DDMMYYYYHHMMSS in Nairobi, as the network writes it. */
function wallClock(atMs: number): string {
  const second = Math.floor(atMs / 1000);
  if (second === lastSecond) return lastText;
  const [year, month, day, ...time] = formatTimestamp(atMs).split(/[- :]/);
  lastText = `${day}${month}${year}${time.join("")}`;
  lastSecond = second;
  return lastText;
}

/** The service's own code for a paid transaction: `T` and its number, in 12 characters. */
export function transactionCode(id: number): string {
  return `T${String(id).padStart(11, "0")}`;
}

/** The number that a transaction code decodes to, in any letter case. */
export function numberOfCode(code: string): number | null {
  const [, digits] = /^T([0-9]{11})$/i.exec(code) ?? [];
  return digits === undefined ? null : Number(digits);
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DAYS = `0123456789${LETTERS}`;
/** Its letter is A, as in 1980, 2006 and 2032. No instant is before 1970. */
const FIRST_YEAR = 1954;

/** How many different endings a receipt number can have. */
const ENDINGS = MAX_NUMBER + 1;
/**
 * It shares no factor with 36, so that different numbers have different endings, and consecutive receipts look unordered.
 */
const STRIDE = 2_299_933;
/** STRIDE × UNSTRIDE = 1 modulo ENDINGS. */
const UNSTRIDE = 9_363_597_877n;

function receiptDate(atMs: number): string {
  const [year = 0, month = 0, day = 0] = formatTimestamp(atMs).split(/[- ]/).map(Number);
  return `${LETTERS[(year - FIRST_YEAR) % 26]}${LETTERS[month - 1]}${DAYS[day]}`;
}

/**
 * A receipt number in the network's form: a letter for the year (A is 2006, and after Z comes A again), a letter for the month, a digit or letter for the
 * day (in Nairobi), and seven characters without a meaning, which are unique to the transaction.
 */
export function receiptNumber(completedAtMs: number, id: number): string {
  // Two steps, so that no product exceeds the safe integers.
  const high = (Math.floor(id / 2 ** 16) * STRIDE) % ENDINGS;
  const ending = (high * 2 ** 16 + (id % 2 ** 16) * STRIDE) % ENDINGS;
  return receiptDate(completedAtMs) + ending.toString(36).toUpperCase().padStart(7, "0");
}

/** The number that a receipt number decodes to, in any letter case. */
export function numberOfReceipt(receipt: string): number | null {
  const [, ending] = /^[A-Z][A-L][1-9A-V]([0-9A-Z]{7})$/i.exec(receipt) ?? [];
  return ending === undefined ? null : Number((BigInt(Number.parseInt(ending, 36)) * UNSTRIDE) % BigInt(ENDINGS));
}
