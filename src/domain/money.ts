import { invalidAt } from "./error.ts";

/** The amount of a payment in whole cents of KES: at least KES 1, and less than KES 1,000,000,000. */
export type AmountCents = number & { readonly __brand: "AmountCents" };

/** The least amount of a payment in KES (§8). */
export const MIN_AMOUNT = 1;

/** Amounts in KES are below this. The specification names no maximum; the bound keeps every sum exact. */
export const AMOUNT_LIMIT = 1_000_000_000;

/** The rule for amounts, for refusals. */
export const AMOUNT_RULE = "must be a number from 1 to 999999999.99 with at most two decimals";

/** The same for one amount: if it only has too many decimals, the text names the nearest valid one. */
export function amountRule(amount: unknown): string {
  if (amount === null) return `${AMOUNT_RULE} (JSON writes NaN as null)`;
  // Far smaller and greater numbers are written with an exponent.
  const isNear = typeof amount === "number" && amount > MIN_AMOUNT / 2 && amount < AMOUNT_LIMIT;
  const rounded = isNear ? roundToCents(String(amount)) : Number.NaN;
  return isAmount(rounded) ? `${AMOUNT_RULE}: round it to cents, ${rounded}` : AMOUNT_RULE;
}

/**
 * Rounds a decimal such as `100.505`, without an exponent, half up to the cent. It works on the digits, because the binary fraction of 1.005 is
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
  if (!isAmount(amount)) throw invalidAt("amount", amountRule(amount));
  return Math.round(amount * 100) as AmountCents;
}

/** Cents as the number of shillings that the API shows. */
export function toShillings(cents: number): number {
  return cents / 100;
}

/** The fee of a payment account for each payment: a share of the amount and a fixed part. */
export interface Tariff {
  /** Hundredths of a percent, 0 to 10,000. */
  readonly basisPoints: number;
  /** Whole cents, 0 to 100,000,000 (KES 1,000,000). */
  readonly fixedCents: number;
}

export const DEFAULT_TARIFF: Tariff = { basisPoints: 100, fixedCents: 0 };

/** The greatest {@link Tariff.fixedCents}. */
export const MAX_FIXED_CENTS = 100_000_000;
/** The greatest {@link Tariff.basisPoints}: all of the amount. */
export const BASIS = 10_000;

/** The fee of a payment in whole cents, half a cent rounded up. */
export function feeCents(tariff: Tariff, amount: AmountCents): number {
  const share = amount * tariff.basisPoints; // below 1e15: exact
  const remainder = share % BASIS;
  return (share - remainder) / BASIS + (remainder * 2 >= BASIS ? 1 : 0) + tariff.fixedCents;
}

/**
 * A tariff as people write it: `1%`, `10`, `1.5%+10` (percent, and KES per payment), at most two decimals each.
 * @param what named in the refusal, such as `--fee`
 * @throws Refusal `invalid` outside 0–100 % and KES 0–1,000,000
 */
export function parseTariff(text: string, what = "fee"): Tariff {
  const match = /^(?:([0-9]{1,3}(?:\.[0-9]{1,2})?)%)?(?:(?:^|(?<=%) ?\+ ?)([0-9]{1,7}(?:\.[0-9]{1,2})?))?$/.exec(text);
  const basisPoints = Math.round(Number(match?.[1] ?? 0) * 100);
  const fixedCents = Math.round(Number(match?.[2] ?? 0) * 100);
  if (!match || text === "" || basisPoints > BASIS || fixedCents > MAX_FIXED_CENTS) {
    throw invalidAt(what, "is not a tariff: write a percentage, an amount in KES or both, as in 1%, 10 or 1.5%+10");
  }
  return { basisPoints, fixedCents };
}

/** A tariff in the form that {@link parseTariff} reads. */
export function formatTariff({ basisPoints, fixedCents }: Tariff): string {
  const percent = basisPoints > 0 || fixedCents === 0 ? [`${basisPoints / 100}%`] : [];
  const fixed = fixedCents > 0 ? [`${fixedCents / 100}`] : [];
  return [...percent, ...fixed].join("+");
}
