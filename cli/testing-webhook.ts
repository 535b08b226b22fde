import type { DeliveryState } from "../sandbox/webhooks/delivery-book.ts";
import type { WebhookForm } from "../sandbox/webhooks/settings.ts";
import type { Client } from "./client/client.ts";
import { readPages } from "./client/pages.ts";

/** The webhook of a sandbox in a test. */

/** A webhook, and what goes wrong on the way to it. Durations are by the sandbox's clock. */
export interface WebhookInput {
  readonly url: string;
  readonly form?: WebhookForm;
  /** How often each is delivered. */
  readonly times?: number;
  /** A duration that each is held back. */
  readonly delay?: string;
  /** A duration of which each is held back by a random part, so that one overtakes another. */
  readonly shuffle?: string;
  /** The probability that one is never sent; the same seed loses and shuffles the same ones. */
  readonly lost?: number;
  readonly seed?: number;
  /** Whether it comes before the answer to the push. */
  readonly early?: boolean;
}

/** A message for the webhook, and what came of it. */
export interface DeliveryRecord {
  readonly id: number;
  readonly checkout_request_id: string;
  readonly state: DeliveryState;
  readonly resend_of?: number;
  readonly due_at: string;
  readonly attempts: readonly {
    readonly at: string;
    readonly duration_ms: number;
    readonly status: number | null;
    /** The first 500 characters. */
    readonly answer: string | null;
    readonly problem: string | null;
  }[];
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

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
