import { redact } from "../../src/domain/credentials.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Delivery } from "../webhooks/delivery-book.ts";

/** A delivery of the webhook, with what came of each attempt. */
export function deliveryView({ id, checkoutRequestId, state, dueAtMs, attempts, resendOf, message }: Delivery) {
  return {
    id,
    checkout_request_id: checkoutRequestId,
    state,
    ...(resendOf !== null && { resend_of: resendOf }),
    due_at: formatTimestamp(dueAtMs),
    due_at_ms: dueAtMs,
    attempts: attempts.map(({ atMs, durationMs, status, answer, problem }) => ({
      at: formatTimestamp(atMs),
      at_ms: atMs,
      duration_ms: durationMs,
      status,
      answer: answer && redact(answer),
      problem,
    })),
    headers: message.headers,
    body: JSON.parse(message.body) as object,
  };
}
