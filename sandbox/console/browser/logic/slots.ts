/** Which phone the handset shows, and which others have a chip, where many ring. Nothing changes place while it rings. */

/** A phone that a prompt has reached. */
export interface PhoneInPlay {
  readonly phone: string;
  readonly openPrompts: number;
  /** Whether it still shows what became of the last prompt. */
  readonly hasNote: boolean;
}

/**
 * The phone on the handset: what a person picked, else the one that was shown, for as long as it rings or has just ended; else
 * the first that rings, the one that was shown, or the last that came into play.
 * @param inPlay in the order in which they came into play
 * @param held a phone that keeps the handset a little longer, so that its last prompt's end can be read
 */
export function choosePhone(
  shown: string | null,
  inPlay: readonly PhoneInPlay[],
  picked: string | null,
  held: string | null,
): string | null {
  if (picked !== null) return picked;
  const current = inPlay.find(({ phone }) => phone === shown);
  if (current && (current.openPrompts > 0 || current.phone === held)) return current.phone;
  const ringing = inPlay.find(({ openPrompts }) => openPrompts > 0);
  return (ringing ?? current ?? inPlay.at(-1))?.phone ?? null;
}

/**
 * The phones beside the handset, in places that they keep: those that ring first, then those with a note, then the last ones.
 * @param before what had a place until now; null is an empty one
 * @param others the phones in play but the shown one
 */
export function assignChips(
  before: readonly (string | null)[],
  others: readonly PhoneInPlay[],
  places: number,
): (string | null)[] {
  const rankOf = ({ openPrompts, hasNote }: PhoneInPlay) => (openPrompts > 0 ? 2 : hasNote ? 1 : 0);
  const ranks = new Map(others.map((phone) => [phone.phone, rankOf(phone)]));
  // Of the same rank who has a place keeps it, and of the others the last that came into play are taken.
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
