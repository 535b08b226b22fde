import { z } from "zod";
import { readNaming } from "../../src/domain/error.ts";
import { KINDS } from "../../src/domain/transaction.ts";
import { orderOf, parseInput, rule, startPaymentSchema } from "../../src/http/input.ts";
import { succeed } from "../../src/http/reply.ts";
import { readJsonObject } from "../../src/http/request.ts";
import { startedView } from "../../src/http/view.ts";
import { parseChoice } from "../network/choice.ts";
import type { ControlCall } from "./context.ts";

/** A test payment of any kind. */
export const testPayment = z.object({
  ...startPaymentSchema.shape,
  kind: z.enum(KINDS, rule("kind", `must be one of ${KINDS.join(", ")}`)),
  outcome: z.string({ error: "outcome must be a string, NAME or NAME; after=DURATION" }).optional(),
});

/**
 * `POST /_momo/payments`: a test payment of any kind. The merchant API makes only the kind `api`; the others come from a payment
 * page, a deposit or a top-up.
 */
export const startTestPayment: ControlCall = async (request, { service, testPayments }) => {
  const input = parseInput(testPayment, await readJsonObject(request));
  if (input.outcome !== undefined) readNaming(input.outcome, (text) => parseChoice(text, "outcome"));
  const owner = await service.registry.ownerOfAccount(input.payment_account_id);
  const transaction = await service.startPayment(owner, {
    ...orderOf(input),
    kind: input.kind,
    instruction: input.outcome ?? null,
  });
  // Only the console's page is of the same origin as the control API.
  const isByPage = request.headers.get("Sec-Fetch-Site") === "same-origin";
  testPayments.note(transaction.checkoutRequestId, isByPage ? "console" : "control_api");
  return succeed("STK push sent: the customer has been asked for a PIN", startedView(transaction, {}));
};
