/** Money by whole numbers without limit, so that no rounding of the machine's can hide one of the program's. */

/** An amount in KES as whole cents; null where it is not from 1 to below 1e9 with at most two decimals. */
export function toCents(amount: unknown): number | null {
  if (typeof amount !== "number") return null;
  const match = /^([0-9]{1,9})(?:\.([0-9]{1,2}))?$/.exec(String(amount));
  if (!match || match[1] === "0") return null;
  return Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}

export const toKes = (cents: number): number => Number(`${cents}e-2`);

/** What a tariff such as `1.5%+10` charges, half a cent rounded up. */
export function feeOf(tariff: string, amountCents: number): number {
  const match = /^(?:([0-9.]+)%)?\+?([0-9.]+)?$/.exec(tariff);
  const share = BigInt(amountCents) * hundredths(match?.[1] ?? "0");
  // Doubled, and the half added before the cut.
  return Number((share * 2n + 10_000n) / 20_000n + hundredths(match?.[2] ?? "0"));
}

function hundredths(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(2, "0"));
}
