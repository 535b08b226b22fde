import { startReceiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { demand, type Item } from "./ledger.ts";

/** A receiver of webhooks, which outlives the servers of a scenario, and counts how often each payment arrived. */
export function openShop() {
  const arrived = new Map<string, number>();
  let [once, more] = [0, 0];
  const { url } = startReceiver((_nth, { data }) => {
    const { checkout_request_id, status } = data as Pick<Item, "checkout_request_id" | "status">;
    demand(status !== "pending", () => `a webhook about a pending payment: ${checkout_request_id}`);
    arrived.set(checkout_request_id, (arrived.get(checkout_request_id) ?? 0) + 1);
    return new Response();
  });
  return {
    url,
    /** How often payments arrived, for the table. */
    get note() {
      return `webhooks: ${once} once, ${more} more often, 0 never`;
    },
    /** Waits until every one of these payments has arrived. */
    async demandAll(items: readonly Item[]): Promise<void> {
      const missing = () => items.filter(({ checkout_request_id }) => !arrived.has(checkout_request_id));
      await until(
        async () => missing().length,
        (count) => count === 0,
      ).catch((error: Error) => {
        demand(
          false,
          () => `${error.message}: no webhook for ${missing().length} payments: ${JSON.stringify(missing()[0])}`,
        );
      });
      const twice = items.filter(({ checkout_request_id }) => (arrived.get(checkout_request_id) ?? 0) > 1).length;
      once += items.length - twice;
      more += twice;
    },
  };
}
