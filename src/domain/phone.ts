import { invalidAt } from "./error.ts";

/** A Kenyan number in its one stored form: `254` and nine national digits. */
export type Msisdn = string & { readonly __brand: "Msisdn" };

/** The two forms of §4.1. Ranges of operators are not checked, because they change. */
export const PHONE_PATTERN = /^(?:254|0)[0-9]{9}$/;

/** The rule for phones, for refusals. */
export const PHONE_RULE = "must be a string of 254 and 9 digits or 0 and 9 digits, such as 254712345678 or 0712345678";

/**
 * A customer's number from either form of §4.1.
 * @param what named in the refusal
 * @throws Refusal `invalid` for any other text
 */
export function parsePhone(text: string, what = "phone"): Msisdn {
  if (!PHONE_PATTERN.test(text)) throw invalidAt(what, PHONE_RULE);
  return (text.startsWith("0") ? `254${text.slice(1)}` : text) as Msisdn;
}

/**
 * The start of a phone number that a person types into a search (`07…`, `254…`, `+254…` or `7…`), as the start of an {@link
 * Msisdn}. Null if no number starts like this.
 */
export function parsePhonePrefix(text: string): string | null {
  // An unescaped + in a query string is decoded as a space. A space without digits is another text.
  if (/^(?:\+[0-9]*| [0-9]+)$/.test(text)) return sharesStart(text.slice(1), "254") ? text.slice(1) : null;
  if (!/^[0-9]+$/.test(text)) return null;
  if (text.startsWith("0")) return `254${text.slice(1)}`;
  return sharesStart(text, "254") ? text : `254${text}`;
}

const sharesStart = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

/** Digits, with an optional plus before them, and spaces, dashes, dots and parentheses between them. */
const TYPED = /^\+?\(?[0-9](?:[\s\p{Pd}.()]*[0-9])*$/u;

/** A number as a person types it, such as +254 (712) 345-678 or 712 345 678, in a form of §4.1; null if it is not a phone. */
export function typedPhone(text: string): string | null {
  const typed = text.trim();
  const digits = TYPED.test(typed) ? typed.replaceAll(/[^+0-9]/g, "") : "";
  // Nine digits without a prefix must begin like a mobile phone.
  const [, prefix, national] = /^(\+?254|0|(?=[71]))([0-9]{9})$/.exec(digits) ?? [];
  if (national === undefined) return null;
  return prefix === "0" ? digits : `254${national}`;
}
