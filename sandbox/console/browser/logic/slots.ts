/** Chooses the phone on the handset and the phones with a chip. A phone keeps its place while it rings. */

/** A phone that has or had a prompt. */
export interface PhoneState {
  readonly phone: string;
  readonly openPrompts: number;
  /** Whether it still shows the end of its last prompt. */
  readonly hasNote: boolean;
}

/**
 * The phone on the handset, the first of: the phone that the person picked; the shown one while it rings or is held; the first
 * one that rings; the shown one; the last one with a prompt.
 * @param phones in the order of their first prompt
 * @param held a phone that stays on the handset for a moment, so that the end of its prompt can be read
 */
export function choosePhone(
  shown: string | null,
  phones: readonly PhoneState[],
  picked: string | null,
  held: string | null,
): string | null {
  if (picked !== null) return picked;
  const current = phones.find(({ phone }) => phone === shown);
  if (current && (current.openPrompts > 0 || current.phone === held)) return current.phone;
  const ringing = phones.find(({ openPrompts }) => openPrompts > 0);
  return (ringing ?? current ?? phones.at(-1))?.phone ?? null;
}

/**
 * The phones beside the handset, each in its own place: first those that ring, then those with a note, then the last ones.
 * @param before the phones in these places until now; null: an empty place
 * @param others all phones except the shown one
 */
export function assignChips(
  before: readonly (string | null)[],
  others: readonly PhoneState[],
  places: number,
): (string | null)[] {
  const rankOf = ({ openPrompts, hasNote }: PhoneState) => (openPrompts > 0 ? 2 : hasNote ? 1 : 0);
  const ranks = new Map(others.map((phone) => [phone.phone, rankOf(phone)]));
  // At the same rank, a phone with a place keeps it. Of the others, the last ones come first.
  const order = [...others.keys()].sort((a, b) => weight(b) - weight(a));
  const chosen = new Set(order.slice(0, places).map((index) => others[index]?.phone ?? ""));
  const chips = Array.from({ length: places }, (_, place) => {
    const phone = before[place] ?? null;
    return phone !== null && chosen.delete(phone) ? phone : null;
  });
  for (const phone of chosen) chips[chips.indexOf(null)] = phone;
  return chips;

  function weight(index: number): number {
    const phone = others[index]?.phone ?? "";
    return (ranks.get(phone) ?? 0) * 1e6 + (before.includes(phone) ? 1e5 : 0) + index;
  }
}
