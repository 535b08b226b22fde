import type { Scene } from "../../support/scene.ts";
import { START_MS } from "../../support/service.ts";
import { identified } from "../../support/shop.ts";

/** Stores `count` payments of the first caller. The network completes the first after `afterMs`, then one each millisecond. */
export function insertDue({ store, caller }: Pick<Scene, "store" | "caller">, count: number, afterMs = 1) {
  const { merchantId, accountId } = caller;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const checkAtMs = START_MS + afterMs + index;
      const times = { createdAtMs: START_MS, expiresAtMs: checkAtMs + 60_000 };
      const pending = await identified(store, { merchantId, paymentAccountId: accountId, ...times });
      await store.transactions.insert({ ...pending, memo: `completed ${checkAtMs} default`, checkAtMs });
      return pending.id;
    }),
  );
}
