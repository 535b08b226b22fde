import type { Accepts } from "../../sandbox/audit/judge.ts";
import pageFile from "../../sandbox/console/dist/console.html" with { type: "file" };
import { createConsole } from "../../sandbox/console/page.ts";
import type { ControlContext, Replica, ServerFacts } from "../../sandbox/control/context.ts";
import { createControl } from "../../sandbox/control/control.ts";
import { createEventHub } from "../../sandbox/control/event-hub.ts";
import type { GuardOptions } from "../../sandbox/control/guard.ts";
import { onlyForThisServer } from "../../sandbox/control/identity.ts";
import { observe, refuseAndLog } from "../../sandbox/control/observe.ts";
import type { Rule } from "../../sandbox/control/shapes/steering.ts";
import { createTestPayments } from "../../sandbox/control/test-payments.ts";
import { createWaitingRoom } from "../../sandbox/control/waiting-room.ts";
import { FaultPlan } from "../../sandbox/faults/plan.ts";
import type { Choice } from "../../sandbox/network/choice.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { createNetwork, type Network } from "../../sandbox/network/network.ts";
import { createRequestCounts, createRequestLog, type LogListener } from "../../sandbox/request-log.ts";
import { createForgetting, type Steering } from "../../sandbox/steering.ts";
import { MAX_IN_FLIGHT } from "../../sandbox/webhooks/sender.ts";
import { type DeliveryListener, Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import type { Tariff } from "../../src/domain/money.ts";
import { createMutex } from "../../src/domain/mutex.ts";
import { loadLater } from "../../src/domain/once.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { randomFrom } from "../../src/domain/random.ts";
import { operationsAt } from "../../src/http/paths.ts";
import { createService, type Service } from "../../src/service/service.ts";
import type { Store } from "../../src/store/store.ts";
import { version } from "../version.ts";
import { auditClient, type ClientAudit } from "./client-audit.ts";
import type { World } from "./engine.ts";
import type { Handlers } from "./listen.ts";
import { serviceForClients, whenFresh } from "./merchant-api.ts";
import { onControlPort, onMerchantPort, onOnePort } from "./routes.ts";

/** What a user chooses for a sandbox. */
export interface Settings {
  /** The default of the network at the start. */
  readonly fallback: Choice;
  readonly rules: readonly Rule[];
  /** The address of the webhook that the server starts with; null if there is none. */
  readonly webhook: string | null;
  /** Whether a payment opens its account if there is none, with this tariff. */
  readonly opensAccounts?: boolean | undefined;
  readonly tariff?: Tariff | null | undefined;
  /** The findings of the audit that are known, and accepted. */
  readonly acceptsFinding?: Accepts | undefined;
  /** Called for each request of the merchant API when it is answered. */
  readonly onRequest?: LogListener;
  /** Called for each delivery of the webhook when it was tried. */
  readonly onDelivery?: DeliveryListener;
}

export interface AssembleOptions {
  readonly settings: Settings;
  /** How the server is started: what clients and commands are shown. */
  readonly server: ServerFacts;
  readonly world: World;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly steering: Steering;
  /** This server, if several share its database; else null. */
  readonly replica: Replica | null;
  readonly guard: GuardOptions;
  /** Stores the state of the clock for the next start. */
  readonly rememberClock: () => void;
  /** The provider of the service: the network itself, unless a test wraps it. */
  readonly wrapProvider?: (network: Network) => Provider;
}

export interface Assembled extends Handlers {
  readonly service: Service;
  /** Applies the settings that other servers have changed. Call it before the first request. */
  readonly startSteering: () => Promise<void>;
  /** The report on the client. Call it when the client has ended. */
  readonly finishAudit: ClientAudit["finish"];
  /** Says to load balancers that no more requests should come. */
  readonly drain: () => void;
  /** Ends delays, waits and streams of events when the server stops. They would not end by themselves. */
  endStreams(): void;
  /** Start it when requests are served, and stop it before the store is closed. */
  readonly webhooks: Webhooks;
}

/** Connects the parts that need no port and no folder: one handler for both APIs, and the service behind them. */
export function assemble(options: AssembleOptions): Assembled {
  const { settings, server, world, store, clock, steering, replica, guard, rememberClock } = options;
  const { wrapProvider = (network) => network } = options;
  const { realClock, random } = world;
  const { basePaths, ownSecret, profile, promptTimeoutMs, seed } = server;
  // Keys and tokens never come from the seed.
  const seeded = seed === null ? null : randomFrom(seed);
  const idRandom = seeded ?? random;
  // With a seed and a frozen clock, nothing that is shown depends on the speed of the machine.
  const stopwatch = seed === null ? world.stopwatch : clock.ranMs;
  const mayDecide = () => steering.isFresh;
  const draining = new AbortController();
  const stopping = new AbortController();

  const { fallback, rules: firstRules } = settings;
  const network = createNetwork({ fallback, rules: firstRules, steering, reportFault: world.reportFault });
  const service = createService({
    store,
    provider: wrapProvider(network),
    clock,
    realClock,
    random,
    idRandom,
    promptTimeoutMs,
    accountAdvice: ". momo accounts create --name NAME --id ID opens one",
    mayDecide,
    reportFault: world.reportFault,
  });
  const { reportFault } = service.storage;

  const webhooks = new Webhooks({
    service,
    clock,
    realClock,
    stopwatch,
    url: settings.webhook,
    beforeSending: world.environment.reachOwnMachine,
    mayDecide,
    deliveriesAtOnce: seed === null ? MAX_IN_FLIGHT : 1,
    reportFault,
  });
  if (settings.onDelivery) webhooks.subscribe(settings.onDelivery);

  const log = createRequestLog(reportFault);
  const requestCounts = createRequestCounts(operationsAt(basePaths));
  if (settings.onRequest) log.subscribe(settings.onRequest);
  log.subscribe(requestCounts.add);

  // With the first request: with zod, it takes 11 of 55 ms until momo serve is ready.
  const http = loadLater(() => import("../../src/http/api.ts"));
  const audit = auditClient({
    basePaths,
    inputs: () => http.now?.INPUTS ?? new Map(),
    hasWebhook: () => webhooks.settings !== null,
    accepts: settings.acceptsFinding,
    ownSecret,
    log,
    service,
    clock,
    stopwatch,
    promptTimeoutMs,
    settleDeliveries: webhooks.settle,
    reportFault,
  });
  webhooks.subscribe(audit.delivered);

  const faults = new FaultPlan(reportFault);
  const { opensAccounts = false, tariff = null } = settings;
  const servedToClients = serviceForClients({ service, webhooks, audit, opensAccounts, tariff });
  const api = loadLater(async () => {
    const { createApi } = await http.load();
    return createApi({ service: servedToClients, basePaths, profile, version, reportFault });
  });
  const observed = observe(api, {
    faults,
    steering,
    log,
    delayed: audit.delayed,
    authenticate: service.authenticate,
    ownSecret,
    stopping: stopping.signal,
    clock,
    realClock,
    stopwatch,
  });
  const merchantApi = whenFresh(observed, steering, reportFault);

  const waitingRoom = createWaitingRoom({ service, realClock, reportFault });
  const testPayments = createTestPayments();
  const eventHub = createEventHub({ service, realClock, log, audit, webhooks, random, reportFault });
  network.rules.subscribe(() => eventHub.steered(["rules"]));
  faults.subscribe(() => eventHub.steered(["faults"]));

  const reset = createForgetting([
    // With a seed, the same requests give the same answers after a reset, too.
    seeded === null ? log.clear : log.restart,
    () => seeded?.restart(),
    testPayments.clear,
    audit.beginChapter,
    waitingRoom.forget,
  ]);
  const state = { rules: network.rules, default: network.default, faults, webhook: webhooks, clock, reset };
  const context: ControlContext = {
    service,
    clock,
    realClock,
    idRandom,
    steering,
    replica,
    state,
    log,
    requestCounts,
    testPayments,
    merchantApi,
    audit,
    webhooks,
    snapshots: { byName: new Map(), mutex: createMutex() },
    waitingRoom,
    eventHub,
    rememberClock,
    server,
    draining: draining.signal,
    stopping: stopping.signal,
    version,
  };
  const control = createControl(context, guard, reportFault);
  const page = createConsole(readPage, guard);

  return {
    handle: onlyForThisServer(onOnePort(control, page, merchantApi), server, guard),
    handleApi: onlyForThisServer(onMerchantPort(merchantApi), server, guard),
    handleControl: onlyForThisServer(onControlPort(control, page), server, guard),
    refuse: refuseAndLog({ clock, realClock, stopwatch, log }),
    service,
    startSteering: () => steering.start(state, eventHub.steered),
    finishAudit: audit.finish,
    drain: () => draining.abort(),
    endStreams() {
      draining.abort();
      stopping.abort();
      waitingRoom.close();
      eventHub.close();
    },
    webhooks,
  };
}

const readPage = () => Bun.file(String(pageFile)).text();
