import { timeLeft } from "../../../../src/domain/duration.ts";
import { findResult } from "../../../../src/domain/outcome.ts";
import type { ClockReading, Transaction } from "../wire.ts";
import { formatAmount } from "./format.ts";

/** A reading of the sandbox's clock, and the browser's monotonic time of the reading. */
export interface ClockAt extends Omit<ClockReading, "now"> {
  readonly takenAtMs: number;
}

/** The sandbox's time, from the last reading. A frozen clock shows the time of the reading. */
export function sandboxNowMs({ now_ms, frozen, takenAtMs }: ClockAt, monotonicMs: number): number {
  return frozen ? now_ms : now_ms + Math.max(0, monotonicMs - takenAtMs);
}

/** How long a prompt still waits for the customer: in words, and as a share from 1 at the start to 0 at the end. */
export function countdown(startMs: number, endMs: number, nowMs: number): { text: string; share: number } {
  const leftMs = Math.min(Math.max(0, endMs - nowMs), Math.max(0, endMs - startMs));
  return { text: timeLeft(leftMs), share: endMs > startMs ? leftMs / (endMs - startMs) : 0 };
}

/**
 * What the customer reads for a while after a prompt has ended.
 * @param business the name of the merchant
 */
export function noteOf(
  { status, amount, result_code, result_desc }: Pick<Transaction, "status" | "amount" | "result_code" | "result_desc">,
  business: string,
) {
  const sum = `KES ${formatAmount(amount)}`;
  switch (status) {
    case "completed":
      return { title: "Paid", text: `${sum} went to ${business}.` };
    case "cancelled":
      return { title: "Cancelled", text: `You did not pay ${business}.` };
    case "expired":
      return { title: "Too late", text: `The prompt from ${business} has expired. Nothing was paid.` };
    case "failed": {
      const note = result_code === null ? undefined : findResult(result_code)?.note;
      return { title: "Not paid", text: `${note ?? result_desc ?? "The payment failed."} Nothing was sent.` };
    }
    case "pending":
      return { title: "Waiting", text: `${business} asks for ${sum}.` };
  }
}

/** A phone that has or had a prompt. */
export interface PhoneState {
  readonly phone: string;
  readonly openPrompts: number;
  /** Whether it still shows the end of its last prompt. */
  readonly hasNote: boolean;
}

/**
 * The phone on the handset, the first of: the picked phone; the shown one while it rings; the first one that rings; the shown one;
 * the last one with a prompt.
 * @param phones in the order of their first prompt
 */
export function choosePhone(shown: string | null, phones: readonly PhoneState[], picked: string | null): string | null {
  if (picked !== null) return picked;
  const current = phones.find(({ phone }) => phone === shown);
  const ringing = [current, ...phones].find((phone) => phone && phone.openPrompts > 0);
  return (ringing ?? current ?? phones.at(-1))?.phone ?? null;
}

/**
 * The phones beside the handset: first those that ring, then those with a note, then the last ones. Each has its own place, and
 * keeps it while it rings.
 * @param before the phones in these places until now; null: an empty place
 * @param others all phones except the shown one
 */
export function assignChips(
  before: readonly (string | null)[],
  others: readonly PhoneState[],
  places: number,
): (string | null)[] {
  // At the same rank, a phone with a place keeps it. Of the others, the last ones come first.
  const weighed = others.map(({ phone, openPrompts, hasNote }, index) => {
    const rank = openPrompts > 0 ? 2 : hasNote ? 1 : 0;
    return { phone, weight: rank * 1e6 + (before.includes(phone) ? 1e5 : 0) + index };
  });
  weighed.sort((a, b) => b.weight - a.weight);
  const chosen = new Set(weighed.slice(0, places).map(({ phone }) => phone));
  const chips = Array.from({ length: places }, (_, place) => {
    const phone = before[place] ?? null;
    return phone !== null && chosen.delete(phone) ? phone : null;
  });
  for (const phone of chosen) chips[chips.indexOf(null)] = phone;
  return chips;
}
