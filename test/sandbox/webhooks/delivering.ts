import type { DeliveryOnWire } from "../../../sandbox/control/shapes/webhook.ts";
import { type Receiver, startReceiver } from "../../support/fake-server.ts";
import { useScene } from "../../support/scene.ts";
import { until } from "../../support/waiting.ts";

/** A scene whose payments are sent to a webhook, and what a test asks of it. */
export function useWebhook() {
  const sandbox = useScene();
  const deliveries = async () => (await sandbox.control("GET", "/webhook")).deliveries as DeliveryOnWire[];
  return {
    sandbox,
    deliveries,
    /** A receiver to which every payment is sent. */
    async receive(settings: object = {}, answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
      const receiver = startReceiver(answer);
      await sandbox.control("PUT", "/webhook", { url: receiver.url, ...settings });
      return receiver;
    },
    /** How many attempts have been delivered, and have failed, since the start. */
    async attemptsInMetrics(): Promise<number[]> {
      const text = await (await sandbox.request("GET", "/metrics")).text();
      return [...text.matchAll(/^momo_webhook_attempts_total.* (.*)$/gm)].map(([, count]) => Number(count));
    },
    async payAndEnd(order: Record<string, unknown> = {}): Promise<string> {
      const id = await sandbox.pay(order);
      await sandbox.advanceClock("3s");
      return id;
    },
    /** Waits until so many have ended. */
    ended: (count = 1) =>
      until(deliveries, (all) => all.length >= count && all.every(({ state }) => state !== "waiting")),
    /** Waits until the first has so many attempts. */
    attempted: (count: number) => until(deliveries, ([first]) => first?.attempts.length === count),
  };
}
