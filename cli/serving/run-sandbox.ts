import { existsSync } from "node:fs";
import { CONTROL_PATH, type ServerFacts } from "../../sandbox/control/context.ts";
import { isOwnAddress } from "../../sandbox/webhooks/settings.ts";
import type { Credentials } from "../../src/domain/credentials.ts";
import type { Tariff } from "../../src/domain/money.ts";
import { token } from "../../src/domain/random.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { Profile } from "../../src/http/profile.ts";
import type { Handler } from "../../src/http/request.ts";
import { Registry } from "../../src/service/registry.ts";
import { explain, isOfSqlite } from "../../src/store/sqlite/sqlite.ts";
import { sleep, systemRandom } from "../../src/system.ts";
import { holdDirectory } from "../files/own-directory.ts";
import { type CredentialsRecord, removeServer, type ServerRecord, writeServer } from "../files/server-record.ts";
import { Failure } from "../terminal/failure.ts";
import { type Assembled, assemble, type Settings } from "./assemble.ts";
import { type ClockOptions, clockOf, keepStart, saveClock } from "./clock.ts";
import { ensureCredentials } from "./credentials.ts";
import { type Engine, type EngineOptions, openEngine } from "./engine.ts";
import { type Addresses, listen, originAt, requireFreePorts, watchDescriptors } from "./listen.ts";

export interface SandboxConfig extends Addresses, Settings, ClockOptions, EngineOptions {
  readonly profile: Profile;
  /** How long a prompt waits for the customer. */
  readonly promptTimeoutMs: number;
  /** A name that distinguishes this sandbox from others; absent by default. */
  readonly name?: string;
  /** Also set on the payment account of the first key; null changes nothing. */
  readonly tariff: Tariff | null;
  /** The id of the first payment account, if there is none yet; by default 1. */
  readonly accountId?: number | undefined;
  /** The key for a data directory that has none; called only then. Null for a new one. */
  readonly firstKey?: () => Credentials | null;
  /** What would delay the ready line, besides the server's own work. */
  readonly afterFirstRequests?: () => void;
  /** How long the server goes on when it stops, while it is not ready: until no load balancer sends requests. */
  readonly drainMs?: number;
  /** The token that requests of the control API must have; null if they need none. */
  readonly controlToken: string | null;
  /** Called for each payment when it starts and when it ends. */
  readonly onTransaction?: (transaction: Transaction) => void;
}

export interface RunningSandbox {
  /** Of this start: requests can name it in the header X-Momo-Server. */
  readonly id: string;
  readonly baseUrl: string;
  readonly controlUrl: string;
  /** Null if several servers share a database, and another one made its first key. */
  readonly credentials: CredentialsRecord | null;
  readonly paymentAccountId: number;
  /** The merchant API alone, for a listener in front of it. */
  readonly handleApi: Handler;
  /** The report on the client. Call it when the client has ended. */
  readonly finishAudit: Assembled["finishAudit"];
  /**
   * Drains, finishes the requests in flight, and closes everything: within three seconds, without the drain.
   * @returns what became of the payments, if they are not where they were
   */
  stop(): Promise<string | null>;
}

/** What distinguishes a start of a server from all others. */
interface Identity {
  readonly id: string;
  readonly ownSecret: string;
}

/** How long requests in flight may take when the server stops. */
const STOP_GRACE_MS = 1500;

/** How long a stop waits for a database that several servers share: it may never answer. */
const DATABASE_GRACE_MS = 1000;

/**
 * Connects everything: store, service, simulated network, both APIs and the server. The server is ready when this returns.
 * @throws Failure or UnusableDatabase with the reason and the flag that helps; then nothing is left open
 */
export async function runSandbox(config: SandboxConfig): Promise<RunningSandbox> {
  const { directory, tariff, random, realClock, reportFault } = config;
  const open = new AsyncDisposableStack();
  const own = newIdentity();
  try {
    await refuseEarly(config);
    open.defer(holdDirectory(directory, config.warn));
    const engine = await openEngine(config);
    open.defer(engine.close);
    const { store, steering } = engine;

    const clock = await clockOf(engine, config);
    const registry = new Registry({ store, clock, random });
    const { paymentAccountId, credentials } = await ensureCredentials(config, engine, registry);
    if (tariff) await registry.setTariff(paymentAccountId, tariff);
    let merchantPort: number | null = null;
    const assembled = assemble({
      settings: config,
      server: factsOf(config, own, credentials, () => merchantPort),
      world: config,
      store,
      clock,
      steering,
      replica: engine.replica,
      guard: { host: config.host, token: config.controlToken },
      rememberClock: () => saveClock(config, engine, clock),
    });
    const { service, startSteering, finishAudit, drain, endStreams, webhooks, handleApi } = assembled;
    if (config.onTransaction) service.subscribe(config.onTransaction);
    await startSteering();
    open.defer(() => steering.stop());
    if (config.startAt) await keepStart(config.startAt, config, engine, clock);

    const listening = await listen(config, assembled, reportFault);
    if (config.controlPort !== null) merchantPort = listening.port;
    open.defer(async () => void (await Promise.all([listening.stop(STOP_GRACE_MS), webhooks.stop()])));
    refuseOwnAddress(config, [listening.origin, listening.controlOrigin]);
    open.defer(endStreams);
    // Before the others, because the resolver would go on while anything is due.
    open.defer(() => service.resolver.stop());

    const baseUrl = listening.origin + config.basePaths[0];
    const controlUrl = listening.controlOrigin + CONTROL_PATH;
    writeServer(directory, recordOf(config, own, baseUrl, controlUrl));
    open.defer(() => removeServer(directory, own.id));
    open.defer(service.storage.watch());
    open.defer(watchDescriptors({ clock: realClock, closeIdle: listening.closeIdle, reportFault }));
    open.defer(soonAfterReady(config, service, webhooks));
    if (store.isShared) service.resolver.watch();
    const stop = async () => {
      drain();
      listening.drain();
      if (config.drainMs) await sleep(config.drainMs);
      const loss = store.vitals.describeLoss();
      const cancel = closeLater(config, engine);
      await open.disposeAsync().catch(throwFirst).finally(cancel);
      return loss;
    };
    const { id } = own;
    return { id, baseUrl, controlUrl, paymentAccountId, handleApi, credentials, finishAudit, stop };
  } catch (error) {
    await open.disposeAsync().catch(() => {}); // the first error is reported
    // The database failed after it was opened, so the first key could not be stored.
    throw isOfSqlite(error) ? explain(error, directory.database) : error;
  }
}

/** Refuses what is known to fail before the data directory is made or changed. */
async function refuseEarly(config: SandboxConfig): Promise<void> {
  await requireFreePorts(config);
  refuseOwnAddress(config, [originAt(config.host, config.port), originAt(config.host, config.controlPort ?? 0)]);
  if (!config.database && !existsSync(config.directory.database)) config.firstKey?.();
}

/** Never from a seed: two servers must differ. */
const newIdentity = (): Identity => ({ id: token(systemRandom, 26), ownSecret: token(systemRandom, 26) });

function factsOf(
  config: SandboxConfig,
  { id, ownSecret }: Identity,
  credentials: CredentialsRecord | null,
  merchantPort: () => number | null,
): ServerFacts {
  return {
    id,
    ownSecret,
    basePaths: config.basePaths,
    profile: config.profile,
    promptTimeoutMs: config.promptTimeoutMs,
    seed: config.seed ?? null,
    merchantPort,
    data: config.directory.path,
    name: config.name ?? null,
    credentials,
  };
}

function recordOf(
  { controlToken }: SandboxConfig,
  { id, ownSecret }: Identity,
  baseUrl: string,
  controlUrl: string,
): ServerRecord {
  return {
    id,
    own_secret: ownSecret,
    pid: process.pid,
    base_url: baseUrl,
    control_url: controlUrl,
    control_token: controlToken,
  };
}

function refuseOwnAddress({ webhook, optionName }: SandboxConfig, origins: readonly string[]): void {
  if (!webhook || !isOwnAddress(webhook, origins)) return;
  throw new Failure(
    "usage",
    `${optionName("--webhook")} must not be an address of this server`,
    "give the address of your shop",
  );
}

/** The first requests after the ready line have this time for themselves. */
const FIRST_REQUESTS_MS = 50;

/** Does what would delay the ready line. @returns a function that cancels it */
function soonAfterReady(
  { realClock, afterFirstRequests }: SandboxConfig,
  { resolver, storage }: Assembled["service"],
  webhooks: Assembled["webhooks"],
): () => void {
  return realClock.alarm(realClock.nowMs() + FIRST_REQUESTS_MS, () => {
    // Listing a folder with hundreds of names after this change would make the JIT use 2 MB more.
    afterFirstRequests?.();
    // The executable starts with a slow JIT policy (scripts/build.ts). From now on code runs often enough to compile it.
    Bun.unsafe.setJITPolicy(1);
    // Payments and webhooks may have become due while no server ran.
    void resolver.resolveDue().catch(storage.reportFault);
    webhooks.start();
  });
}

/** Rejects what still waits for a shared database some time after a stop began. @returns a function that cancels it */
function closeLater({ realClock }: SandboxConfig, { store }: Engine): () => void {
  return realClock.alarm(realClock.nowMs() + DATABASE_GRACE_MS, () => {
    if (store.isShared) store.close();
  });
}

/** Of several errors of a stack, the first: each later one is around those before it. */
function throwFirst(error: unknown): never {
  if (error instanceof SuppressedError) return throwFirst(error.suppressed);
  throw error;
}
