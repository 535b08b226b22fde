import { isLoopback } from "../../sandbox/control/guard.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { DEFAULT_SETTINGS } from "../../sandbox/webhooks/settings.ts";
import { type DeliveryListener, Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Service } from "../../src/service/service.ts";
import { reachDirectly } from "../environment.ts";

export interface SendWebhooksOptions {
  readonly clock: VirtualClock;
  readonly realClock: Clock;
  /** The address of the webhook that the server starts with; null if there is none. */
  readonly webhook: string | null;
  /** Called for each delivery when it was tried. */
  readonly onDelivery?: DeliveryListener;
}

/** The webhook of one sandbox: it gets every payment. */
export function sendWebhooks(
  { webhook, onDelivery, clock, realClock }: SendWebhooksOptions,
  service: Service,
  mayDecide?: () => boolean,
): Webhooks {
  const webhooks = new Webhooks({
    ...{ service, clock, realClock, reportFault: service.storing.reportFault, ...(mayDecide && { mayDecide }) },
    start: webhook === null ? null : { url: webhook, ...DEFAULT_SETTINGS },
    // A proxy is only for other machines.
    beforeSending: ({ hostname }) => {
      if (isLoopback(hostname)) reachDirectly(hostname);
    },
  });
  if (onDelivery) webhooks.subscribe(onDelivery);
  return webhooks;
}

/** The service, but its answer to a push waits if the webhook must be sent first. */
export function answeringLate(service: Service, webhooks: Webhooks): Service {
  return {
    ...service,
    async startPayment(merchantId, order) {
      const transaction = await service.startPayment(merchantId, order);
      const held = webhooks.beforeAnswer(transaction.checkoutRequestId);
      if (held) await held;
      return transaction;
    },
  };
}
