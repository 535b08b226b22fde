import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Choice } from "../../sandbox/network/choice.ts";
import { createVirtualClock, type VirtualClock } from "../../sandbox/network/clock.ts";
import { createNetwork } from "../../sandbox/network/network.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { createApi } from "../../src/http/api.ts";
import { newExchange } from "../../src/http/exchange.ts";
import type { Profile } from "../../src/http/profile.ts";
import { respond } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import type { NewKey } from "../../src/service/registry.ts";
import { createService, type Service } from "../../src/service/service.ts";
import type { PaymentOrder } from "../../src/service/start-payment.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system.ts";
import { CREATED_AT_MS, orderTo } from "./payments.ts";
import { seededRandom } from "./random.ts";

/** When the clock of a harness starts. */
export const START_MS = CREATED_AT_MS;

export interface HarnessOptions {
  /** The file of the database. By default a new one, which is removed at the end. */
  readonly file?: string;
  /** An open store, which is not closed at the end. */
  readonly store?: Store;
  readonly startMs?: number;
  readonly fallback?: Choice;
  readonly promptTimeoutMs?: number;
  readonly profile?: Profile;
  readonly provider?: Provider;
}

/** A merchant with an account and a key. */
export interface Caller {
  readonly merchantId: number;
  readonly accountId: number;
  readonly key: NewKey;
  /** The headers that every operation needs (§5). */
  readonly headers: Record<string, string>;
}

/** The real handler on the real service and SQLite, with a clock that only the test moves. */
export interface Harness {
  readonly file: string;
  readonly api: Handler;
  readonly clock: VirtualClock;
  readonly service: Service;
  readonly store: Store;
  /** The errors that were reported. */
  readonly faults: unknown[];
  /** Adds a merchant with an account and a key. */
  addCaller(name: string): Promise<Caller>;
  /** Moves the clock, and resolves what is due. */
  advance(durationMs: number): Promise<void>;
  close(): Promise<void>;
}

export function openHarness(options: HarnessOptions = {}): Harness {
  const folder = options.file === undefined && !options.store ? mkdtempSync(join(tmpdir(), "momo-test-")) : null;
  const file = options.file ?? join(folder ?? "", "momo.db");
  const clock = createVirtualClock(systemClock, { frozenAtMs: options.startMs ?? START_MS });
  const random = seededRandom(clock.nowMs());
  const store = options.store ?? openStore(file);
  const faults: unknown[] = [];
  const reportFault = (error: unknown) => void faults.push(error);
  const service = createService({
    store,
    provider:
      options.provider ?? createNetwork({ fallback: options.fallback ?? { outcome: "completed", afterMs: 3000 } }),
    clock,
    realClock: systemClock,
    random,
    promptTimeoutMs: options.promptTimeoutMs ?? 60_000,
    reportFault,
  });
  const api = createApi({
    service,
    basePaths: ["/v2", "/api/v2"],
    profile: options.profile ?? {},
    version: "0.0.0",
    reportFault,
  });
  return {
    file,
    api: async (request, keepOpen) => respond(await api.answer(request, newExchange(), keepOpen)),
    clock,
    service,
    store,
    faults,
    async addCaller(name) {
      const { id: merchantId } = await service.registry.registerMerchant(name);
      const { id: accountId } = await service.registry.openAccount(merchantId, "Main account");
      const key = await service.registry.issueKey(merchantId, "test");
      return { merchantId, accountId, key, headers: { "X-API-Key": key.apiKey, "X-API-Secret": key.apiSecret } };
    },
    async advance(durationMs) {
      clock.advance(durationMs);
      await service.resolver.resolveDue();
    },
    async close() {
      await service.resolver.stop();
      if (!options.store) store.close();
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a payment of KES 100 for a caller. */
export function pay({ service }: Harness, { merchantId, accountId }: Caller, changes: Partial<PaymentOrder> = {}) {
  return service.startPayment(merchantId, orderTo(accountId, changes));
}

/** The payment as the status operation finds it. */
export async function statusOf(
  { service }: Harness,
  { merchantId }: Caller,
  started: { readonly checkoutRequestId: string },
) {
  return service.checkStatus(merchantId, started.checkoutRequestId);
}
