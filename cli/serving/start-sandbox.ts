import { rmSync } from "node:fs";
import type { AuditReport } from "../../sandbox/audit/audit.ts";
import { CONTROL_PATH } from "../../sandbox/control/path.ts";
import { createVirtualClock, LAST_INSTANT_MS, type VirtualClock } from "../../sandbox/network/clock.ts";
import type { Tariff } from "../../src/domain/fee.ts";
import type { Handler } from "../../src/http/request.ts";
import type { Registry } from "../../src/service/registry.ts";
import { explain, isBusy, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { type AssembleOptions, assemble } from "./assemble.ts";
import { type DataDirectory, makeDataDirectory } from "./data-directory.ts";
import { isInForce } from "./in-force.ts";
import { type Addresses, listen } from "./listen.ts";
import { lockDirectory } from "./lock-directory.ts";
import {
  type CredentialsRecord,
  readClock,
  readCredentials,
  writeClock,
  writeCredentials,
  writeServer,
} from "./records.ts";

export interface SandboxConfig
  extends Addresses,
    Pick<
      AssembleOptions,
      | "realClock"
      | "stopwatch"
      | "random"
      | "fallback"
      | "rules"
      | "promptLifetimeMs"
      | "basePaths"
      | "accept"
      | "form"
      | "reportFault"
      | "onRequest"
      | "name"
      | "webhook"
      | "onDelivery"
    > {
  readonly directory: DataDirectory;
  /** For the payment account of the credentials; null leaves it as it is. */
  readonly tariff: Tariff | null;
  /** What a caller of the control API must present; null where nobody is asked for one. */
  readonly controlToken: string | null;
}

export interface RunningSandbox {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly credentials: CredentialsRecord;
  /** The merchant API alone, for a listener that stands before it. */
  readonly handleApi: Handler;
  /** What the client did wrong, once it has ended. */
  finishAudit(): Promise<AuditReport>;
  /** Finishes what is in flight and closes everything, within three seconds. */
  stop(): Promise<void>;
}

/** How long requests that are under way may take when the server stops. */
const STOP_GRACE_MS = 1500;

/** How long a write may wait for another program. Everything waits meanwhile, the end of the server too. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Ties everything together: store, service, simulated network, both APIs and the server. It serves when this returns.
 * @throws Failure or UnusableDatabase with what stands in the way and the flag that helps; then nothing is left open
 */
export async function startSandbox(config: SandboxConfig): Promise<RunningSandbox> {
  const { directory, reportFault } = config;
  const open = new Cleanup();
  try {
    makeDataDirectory(directory);
    open.add(lockDirectory(directory));
    const store = openStore(directory.database, { busyTimeoutMs: BUSY_TIMEOUT_MS, mustWrite: true });
    open.add(() => store.close());

    const clock = createVirtualClock(config.realClock, readClock(directory) ?? undefined);
    goOnFrom(await store.transactions.lastDueStartMs(), clock);
    let credentials: CredentialsRecord | null = null;
    let merchantPort: number | null = null;
    const { service, finishAudit, endStreams, ...handlers } = assemble({
      ...config,
      store,
      clock,
      guard: { host: config.host, token: config.controlToken },
      rememberClock: () => writeClock(directory, clock.state()),
      data: directory.path,
      merchantPort: () => (config.controlPort === null ? null : merchantPort),
      credentials: () =>
        credentials && {
          apiKey: credentials.api_key,
          apiSecret: credentials.api_secret,
          paymentAccountId: credentials.payment_account_id,
        },
    });
    credentials = await ensureCredentials(directory, store, service.registry);
    if (config.tariff) await service.registry.setTariff(credentials.payment_account_id, config.tariff);

    const listening = await listen(config, handlers, reportFault);
    open.add(() => listening.stop(STOP_GRACE_MS));
    open.add(endStreams);
    // First of all: it would go on for as long as something is due.
    open.add(() => service.resolver.stop());
    merchantPort = listening.port;

    const baseUrl = listening.origin + config.basePaths[0];
    const controlUrl = listening.controlOrigin + CONTROL_PATH;
    writeServer(directory, {
      pid: process.pid,
      base_url: baseUrl,
      control_url: controlUrl,
      control_token: config.controlToken,
    });
    open.add(() => rmSync(directory.server, { force: true }));

    // The executable begins reluctant to compile (scripts/build.ts); from now on the same code runs again and again.
    Bun.unsafe.setJITPolicy(1);
    // What fell due while no server ran.
    void service.resolver.settle().catch(reportFault);
    return { baseUrl, controlUrl, credentials, handleApi: handlers.handleApi, finishAudit, stop: () => open.runAll() };
  } catch (error) {
    await open.runAll().catch(() => {}); // what came first is told
    // Locked only since it was opened: the first key could not be stored.
    throw isBusy(error) ? explain(error, directory.database) : error;
  }
}

/** The host's clock may have been set back since a payment started, which would then be pending for so much longer. */
function goOnFrom(startedMs: number | null, clock: VirtualClock): void {
  const behindMs = (startedMs ?? 0) - clock.nowMs();
  if (behindMs > 0 && (startedMs ?? 0) <= LAST_INSTANT_MS) clock.advance(behindMs);
}

/** What has been opened, closed in the opposite order, once. */
class Cleanup {
  readonly #steps: (() => unknown)[] = [];

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** @throws what the first step that failed threw, once all have been tried: a server must not live on half closed */
  async runAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** The first merchant's key, payment account and secret: those of the last time where they are still good, else new ones. */
async function ensureCredentials(
  directory: DataDirectory,
  store: Store,
  registry: Registry,
): Promise<CredentialsRecord> {
  const kept = readCredentials(directory);
  if (kept && (await isInForce(store, kept))) return kept;
  const account = await registry.ensureFirstAccount();
  const key = await registry.issueKey(account.merchantId, "first key");
  const record = {
    merchant_id: account.merchantId,
    payment_account_id: account.id,
    api_key: key.apiKey,
    api_secret: key.apiSecret,
  };
  writeCredentials(directory, record);
  return record;
}
