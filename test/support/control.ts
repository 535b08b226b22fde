import { assemble } from "../../cli/serving/assemble.ts";
import type { GuardOptions } from "../../sandbox/control/guard.ts";
import { steeredAlone } from "../../sandbox/steering.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import type { Profile } from "../../src/http/profile.ts";
import type { Handler, RefusePath } from "../../src/http/request.ts";
import { systemClock } from "../../src/system.ts";
import { START_MS } from "./harness.ts";
import { seededRandom } from "./random.ts";
import { type Answer, openScene, readAnswer, type Scene } from "./scenario.ts";
import { identified } from "./shop.ts";

/** Both APIs, put together as the server puts them, over a scene's store and clock. */
export interface ControlScene extends Scene {
  readonly handle: Handler;
  readonly refusePath: RefusePath;
  /** A control request as a client on this machine sends it; headers are added or, undefined, removed. */
  request(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** The same, with its answer in JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Lets time pass, and resolves what falls due. */
  advance(durationMs: number): Promise<void>;
  /** Ends the streams of events, which a stop does first. */
  endStreams(): void;
}

export interface CallOptions {
  readonly headers?: Record<string, string | undefined>;
  readonly json?: unknown;
  readonly body?: string | URLSearchParams;
  readonly signal?: AbortSignal;
}

export const HOST = "127.0.0.1:2547";
const LOOPBACK: GuardOptions = { host: "127.0.0.1", token: null };

export async function openControl(guard: GuardOptions = LOOPBACK, profile: Profile = {}): Promise<ControlScene> {
  const scene = await openScene();
  const { store, clock, faults } = scene.harness;
  const { handle, refusePath, service, webhooks, endStreams } = assemble({
    ...{ guard, steering: steeredAlone, replica: null },
    store,
    clock,
    realClock: systemClock,
    stopwatch: () => performance.now(),
    random: seededRandom(1),
    fallback: { outcome: "completed", afterMs: 3000 },
    rules: [],
    webhook: null,
    promptTimeoutMs: 60_000,
    basePaths: ["/v2", "/api/v2"],
    profile,
    data: null,
    merchantPort: () => null,
    command: () => ({ program: "momo", flags: "" }),
    credentials: () => ({ apiKey: "mk_none", apiSecret: "ms_none", paymentAccountId: 1 }),
    rememberClock: () => {},
    reportFault: (error) => void faults.push(error),
  });

  const request: ControlScene["request"] = (method, path, { headers = {}, json, body, signal } = {}) => {
    const content = json === undefined ? body : JSON.stringify(json);
    const sent = new Headers({ Host: HOST });
    if (json !== undefined) sent.set("Content-Type", "application/json");
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) sent.delete(name);
      else sent.set(name, value);
    }
    const init = { method, headers: sent, ...(content !== undefined && { body: content }), ...(signal && { signal }) };
    return handle(new Request(`http://${HOST}/_momo${path}`, init));
  };

  return {
    ...scene,
    handle,
    refusePath,
    endStreams,
    request,
    call: async (method, path, options) => readAnswer(await request(method, path, options)),
    async advance(durationMs) {
      clock.advance(durationMs);
      await service.resolver.resolveDue();
    },
    async close() {
      await service.resolver.stop();
      endStreams();
      await webhooks.stop();
      await scene.close();
    },
  };
}

/** Stores `count` payments of the first caller. The network completes the first after `afterMs`, then one each millisecond. */
export function insertDue(
  { harness, caller }: Pick<ControlScene, "harness" | "caller">,
  count: number,
  afterMs = 1,
): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const due = await dueAt({ harness, caller }, afterMs + index);
      await harness.store.transactions.insert(due);
      return due.id;
    }),
  );
}

async function dueAt(
  { harness, caller }: Pick<ControlScene, "harness" | "caller">,
  afterMs: number,
): Promise<PendingTransaction> {
  const checkAtMs = START_MS + afterMs;
  const pending = await identified(harness.store, {
    merchantId: caller.merchantId,
    paymentAccountId: caller.accountId,
    createdAtMs: START_MS,
    expiresAtMs: checkAtMs + 60_000,
  });
  return { ...pending, memo: `completed ${checkAtMs}`, checkAtMs };
}
