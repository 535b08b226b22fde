import { rmSync } from "node:fs";
import type { AuditReport } from "../../sandbox/audit/audit.ts";
import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { createVirtualClock, LAST_INSTANT_MS, type VirtualClock } from "../../sandbox/network/clock.ts";
import type { Credentials } from "../../src/domain/credentials.ts";
import type { Tariff } from "../../src/domain/fee.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
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
      | "promptTimeoutMs"
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
  /** The key for a data directory that has none; asked only then. Null for a new one. */
  readonly firstKey?: () => Credentials | null;
  /** The token that calls of the control API must have; null if they need none. */
  readonly controlToken: string | null;
  /** Told of each payment as it starts and as it ends. */
  readonly onTransaction?: (transaction: Transaction) => void;
}

export interface RunningSandbox {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly credentials: CredentialsRecord;
  /** The merchant API alone, for a listener in front of it. */
  readonly handleApi: Handler;
  /** The report on the client. Call it when the client has ended. */
  finishAudit(): Promise<AuditReport>;
  /** Finishes the requests in flight, and closes everything within three seconds. */
  stop(): Promise<void>;
}

/** How long requests in flight may take when the server stops. */
const STOP_GRACE_MS = 1500;

/** How long a write may wait for another program. Everything else waits with it, also a stop. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Connects everything: store, service, simulated network, both APIs and the server. The server is ready when this returns.
 * @throws Failure or UnusableDatabase with the reason and the flag that helps; then nothing is left open
 */
export async function runSandbox(config: SandboxConfig): Promise<RunningSandbox> {
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
    if (config.onTransaction) service.subscribe(config.onTransaction);
    credentials = await ensureCredentials(config, store, service.registry);
    if (config.tariff) await service.registry.setTariff(credentials.payment_account_id, config.tariff);

    const listening = await listen(config, handlers, reportFault);
    open.add(() => listening.stop(STOP_GRACE_MS));
    open.add(endStreams);
    // This runs first, because the resolver would go on while anything is due.
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

    // The executable starts with a slow JIT policy (scripts/build.ts). From now on code runs often enough to compile it.
    Bun.unsafe.setJITPolicy(1);
    // Payments may have become due while no server ran.
    void service.resolver.resolveDue().catch(reportFault);
    if (store.isShared) service.resolver.watch(config.random);
    return { baseUrl, controlUrl, credentials, handleApi: handlers.handleApi, finishAudit, stop: () => open.runAll() };
  } catch (error) {
    await open.runAll().catch(() => {}); // the first error is reported
    // The database was locked after it was opened, so the first key could not be stored.
    throw isBusy(error) ? explain(error, directory.database) : error;
  }
}

/** If the host's clock was set back, a payment would stay pending for too long, so the clock starts no earlier than it did. */
function goOnFrom(startedMs: number | null, clock: VirtualClock): void {
  const behindMs = (startedMs ?? 0) - clock.nowMs();
  if (behindMs > 0 && (startedMs ?? 0) <= LAST_INSTANT_MS) clock.advance(behindMs);
}

/** Closes once everything that was opened, in reverse order. */
class Cleanup {
  readonly #steps: (() => unknown)[] = [];

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** @throws the first error, after all steps ran, so that no part of a server stays open */
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

/** The first merchant's key, payment account and secret: the stored ones if they are still valid, otherwise new ones. */
async function ensureCredentials(
  { directory, firstKey }: Pick<SandboxConfig, "directory" | "firstKey">,
  store: Store,
  registry: Registry,
): Promise<CredentialsRecord> {
  const kept = readCredentials(directory);
  if (kept && (await isInForce(store, kept))) return kept;
  const chosen = (await store.merchants.findFirstMerchant()) ? null : firstKey?.();
  const account = await registry.ensureFirstAccount();
  const key = await registry.issueKey(account.merchantId, "first key", chosen ?? undefined);
  const record = {
    merchant_id: account.merchantId,
    payment_account_id: account.id,
    api_key: key.apiKey,
    api_secret: key.apiSecret,
  };
  writeCredentials(directory, record);
  return record;
}
