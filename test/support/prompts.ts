import type { Prompt } from "../../src/domain/provider.ts";
import { CREATED_AT_MS, factsOf } from "./payments.ts";

/** A usual prompt: KES 100, a phone without an outcome of its own, 60 s until the deadline. */
export function promptOf(changes: Partial<Prompt> = {}): Prompt {
  const { checkoutRequestId, merchantRequestId, ...facts } = factsOf();
  const { paymentAccountId, phone, amountCents, reference, description } = facts;
  return {
    checkoutRequestId,
    merchantRequestId,
    paymentAccountId,
    phone,
    amountCents,
    reference,
    description,
    pushedAtMs: CREATED_AT_MS,
    expiresAtMs: CREATED_AT_MS + 60_000,
    instruction: null,
    ...changes,
  };
}
