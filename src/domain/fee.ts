import { invalid } from "./error.ts";
import type { AmountCents } from "./money.ts";

/** The fee of a payment account for each payment: a share of the amount and a fixed part. */
export interface Tariff {
  /** Hundredths of a percent, 0 to 10,000. */
  readonly basisPoints: number;
  /** Whole cents, 0 to 100,000,000 (KES 1,000,000). */
  readonly fixedCents: number;
}

export const DEFAULT_TARIFF: Tariff = { basisPoints: 100, fixedCents: 0 };

/** The greatest {@link Tariff.fixedCents}. */
const MAX_FIXED_CENTS = 100_000_000;
const BASIS = 10_000;

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
export function parseTariff(text: string, what: string): Tariff {
  const match = /^(?:([0-9]{1,3}(?:\.[0-9]{1,2})?)%)?(?:(?:^|(?<=%) ?\+ ?)([0-9]{1,7}(?:\.[0-9]{1,2})?))?$/.exec(text);
  const basisPoints = Math.round(Number(match?.[1] ?? 0) * 100);
  const fixedCents = Math.round(Number(match?.[2] ?? 0) * 100);
  if (!match || text === "" || basisPoints > BASIS || fixedCents > MAX_FIXED_CENTS) {
    throw invalid(`${what} is not a tariff: write a percentage, an amount in KES or both, as in 1%, 10 or 1.5%+10`);
  }
  return { basisPoints, fixedCents };
}

/** A tariff in the form that {@link parseTariff} reads. */
export function formatTariff({ basisPoints, fixedCents }: Tariff): string {
  const percent = basisPoints > 0 || fixedCents === 0 ? [`${basisPoints / 100}%`] : [];
  const fixed = fixedCents > 0 ? [`${fixedCents / 100}`] : [];
  return [...percent, ...fixed].join("+");
}
