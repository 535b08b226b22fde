/** +254 712 345 678, 0712-345-678, 712 345 678, or the form of the service; here without separators. */
const TYPED = /^(?:\+?254|0)?([0-9]{9})$/;

/** Nine digits without a prefix must begin like a mobile phone. */
const MOBILE = /^[71]/;

/** A number as a person types it, in a form of §4.1; null if it is none. */
export function typedPhone(text: string): string | null {
  const digits = text.replaceAll(/[\s()-]/g, "");
  const [, national] = TYPED.exec(digits) ?? [];
  if (national === undefined || (digits === national && !MOBILE.test(national))) return null;
  return digits.startsWith("0") ? digits : `254${national}`;
}
