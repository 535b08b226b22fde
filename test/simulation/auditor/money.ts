/** Money by whole numbers and BigInt, so that no rounding error here hides one of the program. */

/** An amount in KES as whole cents. */
export function toCents(amount: unknown): number {
  const [whole, fraction = ""] = String(amount).split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

export const toKes = (cents: number): number => Number(`${cents}e-2`);

/** What a tariff such as `1.5%+10` charges, half a cent rounded up. */
export function feeOf(tariff: string, amountCents: number): number {
  const match = /^(?:([0-9.]+)%)?\+?([0-9.]+)?$/.exec(tariff);
  const share = BigInt(amountCents) * hundredths(match?.[1] ?? "0");
  // Twice the fee, plus one half before the division cuts the rest.
  return Number((share * 2n + 10_000n) / 20_000n + hundredths(match?.[2] ?? "0"));
}

function hundredths(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(2, "0"));
}
