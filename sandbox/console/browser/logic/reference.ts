/** The next reference of the same form, because a reference names one payment: `ORDER-0001` becomes `ORDER-0002`. */
export const nextReference = (reference: string): string =>
  reference.replace(/[0-9]{1,15}$/, (number) => String(Number(number) + 1).padStart(number.length, "0"));

/** The first one from this on that no payment has. */
export function unusedReference(reference: string, isUsed: (reference: string) => boolean): string {
  const next = nextReference(reference);
  return isUsed(reference) && next !== reference ? unusedReference(next, isUsed) : reference;
}
