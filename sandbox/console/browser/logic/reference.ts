/**
 * The next free reference of the same form, because a reference names one payment: `ORDER-0001` becomes `ORDER-0002`.
 * @param taken the references of the known payments
 */
export function nextReference(reference: string, taken: readonly (string | null)[]): string {
  const number = /[0-9]{1,15}$/.exec(reference)?.[0];
  if (number === undefined) return reference;
  const stem = reference.slice(0, -number.length);
  let highest = Number(number);
  for (const other of taken) {
    const rest = other?.startsWith(stem) ? other.slice(stem.length) : "";
    if (/^[0-9]{1,15}$/.test(rest)) highest = Math.max(highest, Number(rest));
  }
  return stem + String(highest + 1).padStart(number.length, "0");
}
