import { startReceiver } from "./fake-server.ts";
import { Tellings, type Told } from "./ledger.ts";
import { until } from "./waiting.ts";

/** A receiver of webhooks, which outlives the servers of a trial, and counts how often each payment arrived. */
export function openShop() {
  const arrived = new Tellings();
  const { url } = startReceiver((_nth, { data }) => {
    arrived.add((data as { transaction_id: number }).transaction_id);
    return new Response();
  });
  return {
    url,
    /** Waits until all of these payments have arrived, or for a long time. */
    async told(ids: readonly number[]): Promise<Told> {
      const told = async () => arrived.of(ids);
      await until(told, ({ never }) => never === 0).catch(() => {});
      return told();
    },
  };
}
