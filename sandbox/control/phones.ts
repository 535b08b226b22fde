import { z } from "zod";
import { transaction } from "../../src/http/answers.ts";
import { succeed } from "../../src/http/reply.ts";
import { itemView } from "../../src/http/view.ts";
import { answerByHand, outcomeOfPin } from "../network/network.ts";
import { type Calls, call } from "./context.ts";
import { bodyOf, phoneQuery } from "./input.ts";
import { replyWithList } from "./paging.ts";
import { message, prompt, sms } from "./shapes/payments.ts";
import { choice, count, reportMisfit } from "./shapes/values.ts";
import { messageView, promptView, smsOf } from "./views.ts";

/** More prompts than a person can read. */
const MAX_PROMPTS = 1000;
const MAX_MESSAGES = 100;

const promptList = {
  total: count.describe("how many are open; at most 1,000 are listed"),
  prompts: z.array(prompt),
};

const ofPhone = { query: phoneQuery };

const pinRule = { error: "must be a string of 4 to 6 digits" };

const promptAnswer = z
  .strictObject({
    pin: z
      .string(pinRule)
      .regex(/^[0-9]{4,6}$/, pinRule)
      .optional(),
    outcome: choice.outcome.optional(),
    result_code: choice.result_code,
    result_desc: choice.result_desc,
  })
  .refine(({ pin, outcome }) => (pin === undefined) !== (outcome === undefined), {
    error: 'give either "pin":"1234" or "outcome":"cancelled"',
  })
  .check(({ value: { outcome = "completed", ...more }, issues }) => reportMisfit({ outcome, ...more }, issues));

/** What customers see on their phones, and what they do. `?phone=` selects one phone. */
export const PHONE_CALLS: Calls = {
  "/prompts": {
    GET: call(promptList, ofPhone, async (context, { query }) => {
      const { service, realClock } = context;
      const { phone = null } = query;
      const prompts = await service.listPrompts(MAX_PROMPTS, phone);
      const all = async () =>
        prompts.length < MAX_PROMPTS ? prompts.length : (await service.vitals.measure()).pending;
      // The list of a phone may leave out some, see `listPending`.
      const total = await (phone === null ? all() : service.countPrompts(phone));
      return replyWithList(
        "prompts",
        "open prompt",
        prompts,
        realClock,
        async (pending) => promptView(pending, await service.registry.nameOf(pending.merchantId)),
        { total },
      );
    }),
  },
  "/prompts/ID/answer": {
    POST: call(
      { transaction, sms },
      { body: bodyOf(promptAnswer, { pin: "1234" }) },
      async ({ service, clock }, { id, body: { pin = "", outcome, ...result } }) => {
        const answered = await service.answerPrompt(id, (pending) =>
          answerByHand(pending, { outcome: outcome ?? outcomeOfPin(pin, pending), ...result }, clock.nowMs()),
        );
        const business = await service.registry.nameOf(answered.merchantId);
        const members = { transaction: itemView(answered), sms: smsOf(answered, business) };
        return succeed(`the payment is ${answered.status}`, members);
      },
    ),
  },
  "/messages": {
    GET: call({ messages: z.array(message) }, ofPhone, async ({ service, realClock }, { query: { phone = null } }) => {
      const paid = await service.listPaid(MAX_MESSAGES, phone);
      return replyWithList("messages", "message", paid, realClock, async (payment) =>
        messageView(payment, await service.registry.nameOf(payment.merchantId)),
      );
    }),
  },
};
