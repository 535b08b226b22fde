import { type Random, token } from "../../src/domain/random.ts";
import { nairobiParts } from "../../src/domain/timestamp.ts";

/** Identifiers in the shapes of the network. */

const two = (value: number): string => String(value).padStart(2, "0");

/** 12 characters of 5 bits: a million prompts in one second meet with a chance of one in two million. */
const TOKEN_LENGTH = 12;

/** `ws_CO_<timestamp>_<token>` (§2.2). */
export function checkoutRequestId(atMs: number, random: Random): string {
  return `ws_CO_${digits(atMs)}_${token(random, TOKEN_LENGTH)}`;
}

/** `ws_MR_<timestamp>_<token>` (§2.2). */
export function merchantRequestId(atMs: number, random: Random): string {
  return `ws_MR_${digits(atMs)}_${token(random, TOKEN_LENGTH)}`;
}

/** DDMMYYYYHHMMSS in Nairobi, as the network writes it. */
function digits(atMs: number): string {
  const { year, month, day, hour, minute, second } = nairobiParts(atMs);
  return `${two(day)}${two(month)}${year}${two(hour)}${two(minute)}${two(second)}`;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DAYS = `0123456789${LETTERS}`;
const FIRST_YEAR = 2006;

/** How many different endings a receipt number can have. */
const SERIALS = 36n ** 7n;
/**
 * Shares no factor with 36, so that different serials stay different. A little above 36^4: receipts that follow one another look
 * unordered, but begin alike, so that those of one time lie together in an index.
 */
const STRIDE = 2_299_933n;

/**
 * The network's receipt number: a letter for the year (A is 2006), one for the month, a digit or letter for the day, all in
 * Nairobi, and seven characters without a meaning.
 * @param serial different for each payment, below 36^7; no two receipts of one serial space are alike
 */
export function receiptNumber(atMs: number, serial: number): string {
  const { year, month, day } = nairobiParts(atMs);
  // The letters last until 2031 and then begin again.
  const date = `${LETTERS[(year - FIRST_YEAR) % 26]}${LETTERS[month - 1]}${DAYS[day]}`;
  const ending = ((BigInt(serial) * STRIDE) % SERIALS).toString(36).toUpperCase().padStart(7, "0");
  return date + ending;
}
