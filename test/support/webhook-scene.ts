import type { DeliveryOnWire } from "../../sandbox/control/shapes/webhook.ts";
import type { Receiver } from "./receiver.ts";
import type { Steered } from "./steered.ts";
import { until } from "./until.ts";

/** The webhook of a sandbox, as whoever sets it sees it. */
export interface WebhookScene {
  /** Sends payments to this receiver, with these settings. */
  set(receiver: Pick<Receiver, "url">, settings?: object): Promise<Record<string, unknown>>;
  deliveries(): Promise<DeliveryOnWire[]>;
  /** The deliveries as soon as they are enough. */
  untilDeliveries(isEnough: (all: DeliveryOnWire[]) => boolean): Promise<DeliveryOnWire[]>;
}

export function webhookScene(sandbox: Steered): WebhookScene {
  const deliveries = async () => (await sandbox.control("GET", "/webhook")).deliveries as DeliveryOnWire[];
  return {
    set: ({ url }, settings = {}) => sandbox.control("PUT", "/webhook", { url, ...settings }),
    deliveries,
    untilDeliveries: (isEnough) => until(deliveries, isEnough),
  };
}

export const allEnded = (all: DeliveryOnWire[]): boolean =>
  all.length > 0 && all.every(({ state }) => state !== "waiting" && state !== "sending");
