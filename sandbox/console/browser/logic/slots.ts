/** Which phones are shown where several are in play. A phone keeps its place while somebody may be typing on it. */

/** A phone that a prompt has reached. */
export interface PhoneInPlay {
  readonly phone: string;
  readonly openPrompts: number;
  /** Whether it still shows what became of the last prompt. */
  readonly hasNote: boolean;
}

/**
 * The phones that ring have a place, as far as there are places, and so have those that still show how a prompt went; where
 * there is none of either, the last one that came into play.
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
  const ranks = new Map(inPlay.map((phone) => [phone.phone, rankOf(phone)]));
  if (picked !== null) ranks.set(picked, PICKED);
  const rank = (phone: string) => ranks.get(phone) ?? 0;

  const slots = shown.filter((phone) => rank(phone) > 0);
  while (slots.length > places) slots.splice(slots.findLastIndex(isLeast), 1);
  const waiting = [...ranks.keys()].filter((phone) => rank(phone) > 0 && !slots.includes(phone));
  for (const phone of waiting.sort((a, b) => rank(b) - rank(a))) {
    const place = slots.length < places ? slots.length : slots.findLastIndex(isLeast);
    if (place === slots.length || rank(slots[place] ?? "") < rank(phone)) slots[place] = phone;
  }
  if (slots.length > 0) return slots;
  const last = shown.find((phone) => ranks.has(phone)) ?? inPlay.at(-1)?.phone;
  return last === undefined ? [] : [last];

  function isLeast(phone: string): boolean {
    return slots.every((other) => rank(phone) <= rank(other));
  }
}

const PICKED = 3;

function rankOf({ openPrompts, hasNote }: PhoneInPlay): number {
  if (openPrompts > 0) return 2;
  return hasNote ? 1 : 0;
}
