import { amountRule, isAmount } from "../../src/domain/money.ts";
import { misuse, wrongValue } from "./usage.ts";

/** Reads a phone number and an amount as a person types them. */

/** +254 712 345 678, 0712-345-678, 712 345 678, or the form of the service; here without separators. */
const TYPED = /^(?:\+?254|0)?([0-9]{9})$/;

/** Nine digits without a prefix must begin like a mobile phone. */
const MOBILE = /^[71]/;

/**
 * A number in the form that the service accepts.
 * @param words a person may type a number in several words
 * @param what named in the refusal
 * @throws {@link misuse} if they are not a number
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
 * @throws {@link misuse} if it is not an amount
 */
export function readAmount(text: string, what = "AMOUNT"): number {
  const amount = /^[0-9]{1,12}(?:\.[0-9]{1,12})?$/.test(text) ? Number(text) : null;
  if (amount !== null && isAmount(amount)) return amount;
  if (amount !== null) throw misuse(wrongValue(what, amountRule(amount), text));
  throw misuse(wrongValue(what, "must be a number of shillings, such as 100 or 99.50", text));
}
