import { invalid } from "./error.ts";

/** The amount of a payment in whole cents of KES: at least KES 1, and less than KES 1,000,000,000. */
export type AmountCents = number & { readonly __brand: "AmountCents" };

/** The least amount of a payment in KES (§8). */
export const MIN_AMOUNT = 1;

/** Amounts in KES are below this. The specification names no maximum; the bound keeps every sum exact. */
export const AMOUNT_LIMIT = 1_000_000_000;

/** The rule for amounts, for refusals. If an amount only has too many decimals, the text names the nearest valid one. */
export function amountRule(amount: unknown): string {
  const rule = "must be a number from 1 to 999999999.99 with at most two decimals";
  const rounded = typeof amount === "number" ? roundToCents(String(amount)) : Number.NaN;
  return isAmount(rounded) ? `${rule}: round it to cents, ${rounded}` : rule;
}

/**
 * Rounds a decimal such as `100.505` half up to the cent. It works on the digits, because the binary fraction of 1.005 is
 * less than 1.005.
 */
export function roundToCents(decimal: string): number {
  const [whole = "", fraction = ""] = decimal.split(".");
  const cents = Number(whole + fraction.slice(0, 2).padEnd(2, "0"));
  return (cents + (fraction.charAt(2) >= "5" ? 1 : 0)) / 100;
}

/** Whether a number of shillings can be the amount of a payment. */
export function isAmount(amount: number): boolean {
  // A number has at most two decimals if it is the number nearest to its whole cents.
  return amount >= MIN_AMOUNT && amount < AMOUNT_LIMIT && Math.round(amount * 100) / 100 === amount;
}

/**
 * The amount of a payment (§4.1), from KES with at most two decimals.
 * @throws Refusal `invalid` for anything that is not such a number
 */
export function parseAmount(amount: number): AmountCents {
  if (!isAmount(amount)) throw invalid(`amount ${amountRule(amount)}`);
  return Math.round(amount * 100) as AmountCents;
}

/** Cents as the number of shillings that the API shows. */
export function toShillings(cents: number): number {
  return cents / 100;
}
