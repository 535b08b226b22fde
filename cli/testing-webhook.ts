import type { DeliveryOnWire } from "../sandbox/control/shapes/webhook.ts";
import type { WebhookInput } from "../sandbox/control/webhook.ts";
import type { Client } from "./client/client.ts";
import { readPages } from "./client/pages.ts";

/** The webhook of a sandbox in a test. */

export type { WebhookInput };
/** A message for the webhook, and what came of it. */
export type DeliveryRecord = DeliveryOnWire;

export interface TestWebhook {
  /** For the payments that become final from now on. */
  set(webhook: WebhookInput): Promise<void>;
  clear(): Promise<void>;
  /** Oldest first. */
  deliveries(): Promise<DeliveryRecord[]>;
  /** Sends one again, as a delivery of its own. */
  resend(id: number): Promise<DeliveryRecord>;
}

export function webhookOf(control: Client): TestWebhook {
  return {
    set: async (webhook) => void (await control.put("/webhook", webhook)),
    clear: async () => void (await control.delete("/webhook")),
    deliveries: () => readPages<DeliveryRecord>(control, "/webhook", "deliveries"),
    resend: async (id) => (await control.post(`/webhook/deliveries/${id}/resend`, {})).delivery as DeliveryRecord,
  };
}
