import { z } from "zod";
import { formatDuration, parseDuration } from "../../../src/domain/duration.ts";
import { identifiers, timestamp } from "../../../src/http/answers.ts";
import { readBy } from "../../../src/http/parse-input.ts";
import { DEFAULT_SETTINGS, MAX_WEBHOOK_TIMES, parseWebhookUrl, WEBHOOK_FORMS } from "../../webhooks/settings.ts";
import { problemOfTemplate, type Template } from "../../webhooks/template.ts";
import { durationText, instant, type ReadOnly } from "./values.ts";

const id = z.int().min(1);

export const attempt = z.strictObject({
  at: timestamp,
  at_ms: instant,
  duration_ms: z.number().min(0),
  status: z.int().nullable(),
  answer: z.string().nullable().describe("its first 500 characters"),
  problem: z.string().nullable(),
});
export type AttemptOnWire = ReadOnly<typeof attempt>;

/** What is sent to the webhook. */
export const message = { headers: z.record(z.string(), z.string()), body: z.record(z.string(), z.unknown()) };

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

/**
 * Where each payment that becomes final is sent, and the failures to inject: as it is sent, as it is kept, and as it is shown. The
 * specification has no webhooks (§6).
 */
export const webhook = z
  .strictObject({
    url: readBy(z.string().meta({ format: "uri" }), (text) => parseWebhookUrl(text)),
    form: z.enum(WEBHOOK_FORMS).default(DEFAULT_SETTINGS.form),
    template: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('the message of the form template: JSON with "{{status}}", "{{reference}}" and others as values'),
    times: z
      .int()
      .min(0)
      .max(MAX_WEBHOOK_TIMES)
      .default(DEFAULT_SETTINGS.times)
      .describe("how often each message is sent; 0: never"),
    delay: readBy(durationText, (text) => formatDuration(parseDuration(text))).default(DEFAULT_SETTINGS.delay),
    early: z
      .boolean()
      .default(DEFAULT_SETTINGS.early)
      .describe("whether a message is sent before the answer to the push"),
  })
  .check(({ value: { form, template }, issues }) => {
    const message = problemOfMessage(form, template);
    if (message !== null) issues.push({ code: "custom", path: ["template"], message, input: template });
  });

function problemOfMessage(form: string, template: Template | undefined): string | null {
  if (form !== "template") return template === undefined ? null : 'is only for "form": "template"';
  return template === undefined ? "is missing: the form template needs it" : problemOfTemplate(template);
}

export type WebhookInput = z.input<typeof webhook>;
export type WebhookSettings = ReadOnly<typeof webhook>;
