import { type Delivery, stateOf } from "../../src/domain/delivery.ts";
import type { LogFormat } from "./options.ts";
import { styled } from "./output.ts";
import { jsonText } from "./plain.ts";
import { timedLine } from "./request-line.ts";

/** An attempt to deliver a webhook, as one line on stderr. It does not show the address, which may have a secret. */
export function deliveryLine(format: LogFormat, delivery: Delivery, atMs: number): string {
  const { id, payment, attempts } = delivery;
  const state = stateOf(delivery);
  const last = attempts.at(-1);
  if (format === "json") {
    return jsonText({
      time: new Date(atMs).toISOString(),
      level: "info",
      webhook: id,
      state,
      attempt: attempts.length,
      status: last?.status ?? null,
      ...(last && { duration_ms: last.durationMs }),
      checkout_request_id: payment.checkoutRequestId,
      ...(last?.problem && { message: last.problem }),
    });
  }
  return timedLine(atMs, [
    styled(state === "delivered" ? "green" : "yellow", String(last?.status ?? "---")),
    `webhook ${id}`,
    state === "waiting" ? "to be tried again" : state,
    last && styled("dim", `${last.durationMs} ms`),
    payment.checkoutRequestId,
    last?.problem,
  ]);
}
