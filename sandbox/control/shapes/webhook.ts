import { z } from "zod";
import { identifiers, timestamp } from "../../../src/http/answers.ts";
import { WEBHOOK_FORMS } from "../../webhooks/settings.ts";
import { count, durationText, instant, type ReadOnly } from "./values.ts";

/** `/webhook`. */

const id = z.int().min(1);

const attempt = z.strictObject({
  at: timestamp,
  at_ms: instant,
  duration_ms: z.number().min(0),
  status: z.int().nullable(),
  answer: z.string().nullable().describe("its first 500 characters"),
  problem: z.string().nullable(),
});
export type AttemptOnWire = ReadOnly<typeof attempt>;

const message = { headers: z.record(z.string(), z.string()), body: z.record(z.string(), z.unknown()) };

/** A message for the webhook, and its attempts. */
export const delivery = z.strictObject({
  id,
  checkout_request_id: identifiers.checkout_request_id,
  state: z.enum(["waiting", "delivered", "failed"]),
  resend_of: id.optional(),
  due_at: timestamp,
  due_at_ms: instant,
  attempts: z.array(attempt),
  ...message,
});
export type DeliveryOnWire = ReadOnly<typeof delivery>;

export const webhookAnswer = {
  webhook: z
    .strictObject({
      url: z.url(),
      form: z.enum(WEBHOOK_FORMS),
      times: count,
      delay: durationText,
      early: z.boolean(),
    })
    .nullable(),
};
export type WebhookOnWire = ReadOnly<z.ZodObject<typeof webhookAnswer>>;

export const deliveryPage = {
  ...webhookAnswer,
  next: z.string().nullable().describe("the address of the next page; null if there is none"),
  deliveries: z.array(delivery),
};
export const deliveryAnswer = { delivery };
export const testAnswer = { attempt, ...message };
