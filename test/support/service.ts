import { createNetwork } from "../../sandbox/network/network.ts";
import type { Provider } from "../../src/domain/provider.ts";
import type { NewKey } from "../../src/service/registry.ts";
import { createService, type Service, type ServiceParts } from "../../src/service/service.ts";
import type { PaymentOrder } from "../../src/service/start-payment.ts";
import { type Engine, sqlite } from "./engines.ts";
import { createManualClock } from "./manual-clock.ts";
import { seededRandom } from "./random.ts";
import { rethrow } from "./rethrow.ts";
import { CREATED_AT_MS, orderTo } from "./shop.ts";

/** When the clocks of tests start. */
export const START_MS = CREATED_AT_MS;

/** A merchant with an account and a key. */
export interface Caller {
  readonly merchantId: number;
  readonly accountId: number;
  readonly key: NewKey;
  /** The headers that every operation needs (§5). */
  readonly headers: Record<string, string>;
}

export async function addCaller({ registry }: Pick<Service, "registry">, name: string): Promise<Caller> {
  const { id: merchantId } = await registry.registerMerchant(name);
  const { id: accountId } = await registry.openAccount(merchantId, "Main account");
  const key = await registry.issueKey(merchantId, "test");
  return { merchantId, accountId, key, headers: { "X-API-Key": key.apiKey, "X-API-Secret": key.apiSecret } };
}

export type ServiceScene = Awaited<ReturnType<typeof openService>>;

/** The service on an engine, with the simulated network and clocks that only the test moves. Merchant 1 has account 1. */
export async function openService(options: Partial<ServiceParts> = {}, engine: Engine = sqlite) {
  const place = await engine.newPlace();
  const store = await place.open();
  const [clock, realClock] = [createManualClock(START_MS), createManualClock(0)];
  const faults: unknown[] = [];

  /** Opens another service, as after a restart or of another process. */
  const openAnother = (more: Partial<ServiceParts> = {}): Service =>
    createService({
      store,
      clock,
      realClock,
      provider: createNetwork({ fallback: { outcome: "completed" }, reportFault: rethrow }),
      random: seededRandom(1),
      promptTimeoutMs: 60_000,
      reportFault: (error) => void faults.push(error),
      ...options,
      ...more,
    });
  const service = openAnother();
  const caller = await addCaller(service, "Shop");

  return {
    place,
    store,
    clock,
    /** Real time, for retries. */
    realClock,
    service,
    openAnother,
    caller,
    /** The errors that were reported. The test removes those that it expects. */
    faults,
    /** Starts a payment of KES 100. @param instruction its outcome; by default it is paid after 3 s */
    pay: (instruction: string | null = null, changes: Partial<PaymentOrder> = {}) =>
      service.startPayment(caller.merchantId, orderTo(caller.accountId, { instruction, ...changes })),
    /** The payment as the status operation finds it. */
    find: async ({ checkoutRequestId }: { readonly checkoutRequestId: string }) =>
      service.checkStatus(caller.merchantId, checkoutRequestId),
    /** Moves the clock, which rings alarms, and resolves what is due. */
    async advance(durationMs: number): Promise<void> {
      clock.advance(durationMs);
      await service.resolver.resolveDue();
    },
    async close(): Promise<void> {
      await service.resolver.stop();
      await place.leave();
      if (faults.length > 0) throw new Error(`faults: ${faults.map(String).join("; ")}`);
    },
  };
}

/** A network that accepts every prompt, asks for the first check after 3 s, and then answers as the test says. */
export function createProvider(check: Provider["check"]): Provider {
  let pushes = 0;
  return {
    async push({ pushedAtMs }) {
      pushes += 1;
      return { memo: `memo ${pushes}`, checkAtMs: pushedAtMs + 3000 };
    },
    check,
  };
}
