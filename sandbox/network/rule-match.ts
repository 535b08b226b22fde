import { parseAmount } from "../../src/domain/money.ts";
import type { Rule } from "../control/shapes/steering.ts";

/** What a rule compares. */
export interface Compared {
  readonly phone: string;
  readonly amountCents: number;
  readonly paymentAccountId: number;
  readonly reference: string | null;
  readonly description: string | null;
}

/** An absent member matches everything; a text that ends with `*` matches each text with this start. */
export function matches(
  { phone, amount, payment_account_id, reference, description }: Rule["match"],
  prompt: Compared,
): boolean {
  return (
    (amount === undefined || parseAmount(amount) === prompt.amountCents) &&
    (payment_account_id === undefined || payment_account_id === prompt.paymentAccountId) &&
    fits(phone, prompt.phone) &&
    fits(reference, prompt.reference) &&
    fits(description, prompt.description)
  );
}

/** Whether a text is the pattern, or begins as a pattern with `*` says. Without a pattern, each text fits. */
export function fits(pattern: string | undefined, text: string | null): boolean {
  if (pattern === undefined) return true;
  return pattern.endsWith("*") ? (text?.startsWith(pattern.slice(0, -1)) ?? false) : pattern === text;
}
