import { z } from "zod";
import { succeed, succeedWithList } from "../../src/http/reply.ts";
import { itemView } from "../../src/http/view.ts";
import { answerByHand, outcomeOfPin } from "../network/network.ts";
import { receiptSms } from "../network/sms.ts";
import type { ControlCall } from "./context.ts";
import { parseQuery, phoneQuery, readBody } from "./input.ts";
import { writeTexts } from "./paging.ts";
import { outcomeName } from "./shapes/values.ts";
import { counted, promptView } from "./views.ts";

/** More than a person can read. */
const MAX_PROMPTS = 1000;

/** `GET /_momo/prompts`: the open prompts, oldest first; `?phone=` shows those of one phone. */
export const listPrompts: ControlCall = async (_request, { service, merchantNames, realClock }, { query }) => {
  const { phone = null } = parseQuery(phoneQuery, query);
  const prompts = await service.listPrompts(MAX_PROMPTS, phone);
  const texts = await writeTexts(prompts, realClock, async (prompt) =>
    JSON.stringify(promptView(prompt, await merchantNames.of(prompt.merchantId))),
  );
  return succeedWithList(counted(texts.length, "open prompt"), {}, "prompts", texts);
};

export const promptAnswer = z
  .strictObject({
    pin: z
      .string({ error: "must be a string of 4 to 6 digits" })
      .regex(/^[0-9]{4,6}$/, { error: "must be a string of 4 to 6 digits" })
      .optional(),
    outcome: outcomeName.optional(),
  })
  .refine(({ pin, outcome }) => (pin === undefined) !== (outcome === undefined), {
    error: 'give either "pin":"1234" or "outcome":"cancelled"',
  });

/** `POST /_momo/prompts/ID/answer`: the customer enters a PIN, or the network sends the outcome. */
export const answerPrompt: ControlCall = async (request, { service, merchantNames, clock }, { id }) => {
  const { pin, outcome } = await readBody(promptAnswer, request);
  const transaction = await service.answerPrompt(id, (pending) =>
    answerByHand(pending, outcome ?? outcomeOfPin(pin ?? "", pending), clock.nowMs()),
  );
  return succeed(`the payment is ${transaction.status}`, {
    transaction: itemView(transaction),
    // The text message that the customer's phone shows next.
    sms:
      transaction.status === "completed"
        ? receiptSms(transaction, await merchantNames.of(transaction.merchantId))
        : null,
  });
};
