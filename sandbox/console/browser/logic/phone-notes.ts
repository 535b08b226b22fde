import type { Transaction } from "../wire.ts";
import { formatAmount } from "./format.ts";

/** What the customer reads after a prompt has ended. */
export interface CustomerNote {
  readonly title: string;
  readonly text: string;
}

/** What a result code means for the customer. For other codes the note has the text of the network. */
const FAILURES: Readonly<Record<number, string>> = {
  1: "There is not enough money in your account.",
  3: "This is more than one payment may carry.",
  17: "You have just made the same payment. Wait a little.",
  1025: "The prompt could not be shown.",
  1037: "Your phone could not be reached in time.",
  2001: "The PIN was wrong.",
  8006: "Your PIN is locked. Unlock it before you pay.",
};

/** @param business the name of the merchant */
export function noteOf(
  { status, amount, result_code, result_desc }: Pick<Transaction, "status" | "amount" | "result_code" | "result_desc">,
  business: string,
): CustomerNote {
  const sum = `KES ${formatAmount(amount)}`;
  switch (status) {
    case "completed":
      return { title: "Paid", text: `${sum} went to ${business}.` };
    case "cancelled":
      return { title: "Cancelled", text: `You did not pay ${business}.` };
    case "expired":
      return { title: "Too late", text: `The prompt from ${business} has expired. Nothing was paid.` };
    case "failed":
      return {
        title: "Not paid",
        text: `${FAILURES[result_code ?? 0] ?? result_desc ?? "The payment failed."} Nothing was sent.`,
      };
    case "pending":
      return { title: "Waiting", text: `${business} asks for ${sum}.` };
  }
}
