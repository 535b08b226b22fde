import { amountRule, isAmount } from "../../src/domain/money.ts";
import { typedPhone } from "../../src/domain/typed-phone.ts";
import { misuse, wrongValue } from "./usage.ts";

/** Reads a phone number and an amount as a person types them. */

/**
 * A number in the form that the service accepts.
 * @param words a person may type a number in several words
 * @param what named in the refusal
 * @throws {@link misuse} if they are not a number
 */
export function readTypedPhone(words: readonly string[], what = "PHONE"): string {
  const phone = typedPhone(words.join(""));
  if (phone !== null) return phone;
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
