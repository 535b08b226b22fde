import { type AmountCents, BASIS, feeCents, MAX_FIXED_CENTS, type Tariff } from "../../src/domain/money.ts";

/** A payment in an answer, in cents. */
export interface PaymentWithFee {
  readonly amount: AmountCents;
  readonly fee: number;
}

/** The tariff that gives all these fees; null if there is none of momo's form. */
export function tariffOf(payments: readonly PaymentWithFee[]): Tariff | null {
  const [one, ...others] = payments;
  if (!one) return null;
  const other = others.find(({ amount }) => amount !== one.amount);
  const slope = other ? (one.fee - other.fee) / (one.amount - other.amount) : one.fee / one.amount;
  const candidates: Tariff[] = [
    { basisPoints: Math.round((one.fee * 10_000) / one.amount), fixedCents: 0 },
    { basisPoints: 0, fixedCents: one.fee },
  ];
  const basisPoints = Math.round(slope * 10_000);
  const fixedCents = one.fee - feeCents({ basisPoints, fixedCents: 0 }, one.amount);
  candidates.push({ basisPoints, fixedCents });
  const fits = (tariff: Tariff) => payments.every(({ amount, fee }) => feeCents(tariff, amount) === fee);
  const isTariff = ({ basisPoints, fixedCents }: Tariff) =>
    basisPoints >= 0 && basisPoints <= BASIS && fixedCents >= 0 && fixedCents <= MAX_FIXED_CENTS;
  return candidates.find((tariff) => isTariff(tariff) && fits(tariff)) ?? null;
}

export const cents = (value: unknown): number => Math.round(Number(value) * 100);
