import { startReceiver } from "./fake-server.ts";
import { until } from "./waiting.ts";

/** How many payments a webhook told once, more often and never. */
export interface Told {
  readonly once: number;
  readonly more: number;
  readonly never: number;
}

/** A receiver of webhooks, which outlives the servers of a trial, and counts how often each payment arrived. */
export function openShop() {
  const arrived = new Map<number, number>();
  const { url } = startReceiver((_nth, { data }) => {
    const { transaction_id } = data as { transaction_id: number };
    arrived.set(transaction_id, (arrived.get(transaction_id) ?? 0) + 1);
    return new Response();
  });
  return {
    url,
    /** Waits until all of these payments have arrived, or for a long time. */
    async told(ids: readonly number[]): Promise<Told> {
      const missing = async () => ids.filter((id) => !arrived.has(id)).length;
      await until(missing, (count) => count === 0).catch(() => {});
      const [never, more] = [await missing(), ids.filter((id) => (arrived.get(id) ?? 0) > 1).length];
      return { once: ids.length - more - never, more, never };
    },
  };
}
