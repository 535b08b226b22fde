import type { Prompt } from "../../src/domain/provider.ts";
import { CREATED_AT_MS, factsOf } from "./payments.ts";

/** What the network is asked to show: KES 100, a phone of no meaning, 60 s to live. */
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
