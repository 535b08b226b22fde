import { createNetwork } from "../../sandbox/network/network.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { createService, type Service, type ServiceParts } from "../../src/service/service.ts";
import type { Store } from "../../src/store/store.ts";
import { sqlite } from "./engines.ts";
import { START_MS } from "./harness.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { orderTo } from "./payments.ts";
import { seededRandom } from "./random.ts";

/** A service on SQLite with clocks that only the test moves. Alarms ring when the test advances a clock. */
export interface ManualService {
  readonly service: Service;
  readonly store: Store;
  readonly clock: ManualClock;
  /** Real time, for retries. */
  readonly realClock: ManualClock;
  /** The errors that were reported. The test removes those that it expects. */
  readonly faults: unknown[];
  /** Starts a payment with this outcome. */
  pay(instruction: string, reference?: string): ReturnType<Service["startPayment"]>;
  /** Opens another service on the same store, as after a restart. */
  openAnother(options?: Partial<Pick<ServiceParts, "clock" | "provider" | "random">>): Service;
  close(): Promise<void>;
}

export async function openManualService(): Promise<ManualService> {
  const place = await sqlite.newPlace();
  const store = await place.open();
  const [clock, realClock] = [createManualClock(START_MS), createManualClock(0)];
  const faults: unknown[] = [];
  const openAnother: ManualService["openAnother"] = (options) =>
    createService({
      store,
      clock,
      realClock,
      provider: createNetwork({ fallback: { outcome: "completed", afterMs: 3000 } }),
      random: seededRandom(1),
      promptTimeoutMs: 60_000,
      reportFault: (error) => void faults.push(error),
      ...options,
    });
  const service = openAnother();
  const { id } = (await service.registry.makeFirst()).account;
  return {
    service,
    store,
    clock,
    realClock,
    faults,
    pay: (instruction, reference) =>
      service.startPayment(1, orderTo(id, { instruction, reference: reference ?? null })),
    openAnother,
    async close() {
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
