import { amountRule, isAmount } from "../../src/domain/money.ts";
import { misuse, wrongValue } from "./usage.ts";

/** What a person types where it is no option: a phone number and an amount. */

/** How a person writes a number: +254 712 345 678, 0712-345-678, 712 345 678 or as the service takes it. */
const TYPED = /^(?:\+?254|0)?([0-9]{9})$/;

/** Without them, nine digits begin as those of a mobile phone. */
const MOBILE = /^[71]/;

/**
 * The words of a number that a person typed, in the form that the service takes.
 * @param what named in the refusal
 * @throws {@link misuse} where they make no number
 */
export function readTypedPhone(words: readonly string[], what = "PHONE"): string {
  const digits = words.join("").replaceAll(/[\s()-]/g, "");
  const [, national] = TYPED.exec(digits) ?? [];
  if (national !== undefined && (digits !== national || MOBILE.test(national))) {
    return digits.startsWith("0") ? digits : `254${national}`;
  }
  throw misuse(wrongValue(what, "must be a number such as 0712345678 or +254 712 345 678", words.join(" ")));
}

/**
 * @param what named in the refusal
 * @throws {@link misuse} for what is no amount
 */
export function readAmount(text: string, what = "AMOUNT"): number {
  const amount = /^[0-9]{1,12}(?:\.[0-9]{1,12})?$/.test(text) ? Number(text) : null;
  if (amount !== null && isAmount(amount)) return amount;
  if (amount !== null) throw misuse(wrongValue(what, amountRule(amount), text));
  throw misuse(wrongValue(what, "must be a number of shillings, such as 100 or 99.50", text));
}
