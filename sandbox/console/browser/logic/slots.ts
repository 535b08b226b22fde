/** Which phones are shown where several are in play. A phone keeps its place while somebody may be typing on it. */

/** A phone with open prompts, or with messages. */
export interface PhoneInPlay {
  readonly phone: string;
  readonly openPrompts: number;
}

/**
 * @param shown what was shown before, in its places
 * @param inPlay in the order in which they came into play
 * @param picked a phone that a person wants to see; it stays
 * @param places how many can be shown, from 1
 */
export function assignSlots(
  shown: readonly string[],
  inPlay: readonly PhoneInPlay[],
  picked: string | null,
  places: number,
): string[] {
  const rings = new Set(inPlay.filter(({ openPrompts }) => openPrompts > 0).map(({ phone }) => phone));
  const known = new Set(inPlay.map(({ phone }) => phone));
  const stays = (phone: string) => phone === picked || rings.has(phone);
  // Where places became fewer, the ones that matter stay.
  const kept = shown.filter((phone) => known.has(phone) || phone === picked);
  const slots = kept.length > places ? [...kept.filter(stays), ...kept.filter((phone) => !stays(phone))] : [...kept];
  slots.length = Math.min(slots.length, places);

  if (picked !== null && !slots.includes(picked)) seat(picked, () => true);
  for (const { phone } of inPlay) {
    if (rings.has(phone) && !slots.includes(phone)) seat(phone, (other) => !stays(other));
  }
  for (const { phone } of inPlay.toReversed()) {
    if (!slots.includes(phone) && slots.length < places) slots.push(phone);
  }
  return slots;

  function seat(phone: string, mayLeave: (other: string) => boolean): void {
    if (slots.length < places) {
      slots.push(phone);
      return;
    }
    const place = slots.findLastIndex(mayLeave);
    if (place >= 0) slots[place] = phone;
  }
}
