import guide from "../../docs/llms.txt" with { type: "text" };
import type { AuditReport, RunEnd } from "../../sandbox/audit/audit.ts";
import type { Accepts } from "../../sandbox/audit/judge.ts";
import pageFile from "../../sandbox/console/dist/console.html" with { type: "file" };
import { CONSOLE_PATH, createConsole } from "../../sandbox/console/page.ts";
import { CONTROL_PATH, type ControlContext, type ServerFacts } from "../../sandbox/control/context.ts";
import { createControl } from "../../sandbox/control/control.ts";
import { createEventHub } from "../../sandbox/control/event-hub.ts";
import type { GuardOptions } from "../../sandbox/control/guard.ts";
import { onlyForThisServer } from "../../sandbox/control/identity.ts";
import { refuseAndLog } from "../../sandbox/control/observe.ts";
import type { Rule } from "../../sandbox/control/shapes/steering.ts";
import { createTestPayments } from "../../sandbox/control/test-payments.ts";
import { createWaitingRoom } from "../../sandbox/control/waiting-room.ts";
import { FaultPlan } from "../../sandbox/faults/plan.ts";
import { isLoopback } from "../../sandbox/loopback.ts";
import type { Choice } from "../../sandbox/network/choice.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { createNetwork, type Network } from "../../sandbox/network/network.ts";
import { createRequestCounts, createRequestLog, type LogListener } from "../../sandbox/request-log.ts";
import { createForgetting, type State } from "../../sandbox/steering.ts";
import { MAX_IN_FLIGHT } from "../../sandbox/webhooks/sender.ts";
import { DEFAULT_SETTINGS } from "../../sandbox/webhooks/settings.ts";
import { type DeliveryListener, Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import { createMutex } from "../../src/domain/mutex.ts";
import { loadLater } from "../../src/domain/once.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { type Random, randomFrom } from "../../src/domain/random.ts";
import { operationsAt } from "../../src/http/paths.ts";
import { fail, noSuchPath, type Reply, respond } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { reachDirectly } from "../environment.ts";
import { version } from "../version.ts";
import { auditClient } from "./client-audit.ts";
import type { Engine, World } from "./engine.ts";
import { createMerchantApi, type MerchantSettings } from "./merchant-api.ts";

/** What a user chooses for a sandbox. */
export interface Settings extends MerchantSettings {
  readonly promptTimeoutMs: number;
  /** A name that distinguishes this sandbox from others; absent by default. */
  readonly name?: string;
  readonly fallback: Choice;
  readonly rules: readonly Rule[];
  /** The address of the webhook that the server starts with; null if there is none. */
  readonly webhook: string | null;
  /** The text that identifiers and drawn faults come from; absent or null: they are random. */
  readonly seed?: string | null;
  /** The findings of the audit that are known, and accepted. */
  readonly acceptsFinding?: Accepts | undefined;
  /** Called for each request of the merchant API when it is answered. */
  readonly onRequest?: LogListener;
  /** Called for each delivery of the webhook when it was tried. */
  readonly onDelivery?: DeliveryListener;
}

export interface AssembleOptions extends World, Settings, ServerFacts, Pick<Engine, "store" | "steering" | "replica"> {
  readonly clock: VirtualClock;
  /** The provider of the service: the network itself, unless a test wraps it. */
  readonly between?: (network: Network) => Provider;
  readonly guard: GuardOptions;
  /** Stores the state of the clock for the next start. */
  readonly rememberClock: () => void;
}

export interface Assembled {
  /** Both APIs, for one listener. */
  readonly handle: Handler;
  /** Each API alone, for a separate listener. */
  readonly handleApi: Handler;
  readonly handleControl: Handler;
  readonly refuse: (request: Request, own: Reply, sentPath?: string) => Promise<Response>;
  readonly service: Service;
  /** Applies the settings that other servers have changed. Call it before the first request. */
  readonly startSteering: () => Promise<void>;
  /** The report on the client. Call it when the client has ended. */
  readonly finishAudit: (end: Pick<RunEnd, "hosts">) => Promise<AuditReport>;
  /** Says to load balancers that no more requests should come. */
  readonly drain: () => void;
  /** Ends delays, waits and streams of events when the server stops. They would not end by themselves. */
  endStreams(): void;
  /** Start it when requests are served, and stop it before the store is closed. */
  readonly webhooks: Webhooks;
}

/** Connects the parts that need no port and no folder: one handler for both APIs, and the service behind them. */
export function assemble(given: AssembleOptions): Assembled {
  // With a seed and a frozen clock, nothing that is shown depends on the speed of the machine.
  const options = given.seed == null ? given : { ...given, stopwatch: given.clock.ranMs };
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const { guard, steering } = options;
  const context = connect(options, { draining: draining.signal, stopping: stopping.signal });
  const { service, merchantApi, audit, webhooks, log, state, waitingRoom, eventHub } = context;
  const control = createControl({
    ...context,
    host: guard.host,
    token: guard.token,
    reportFault: service.storage.reportFault,
  });
  const page = createConsole(readPage, guard);
  const own = (handler: Handler) => onlyForThisServer(handler, options, guard);
  return {
    handle: own(route(control, page, merchantApi)),
    handleApi: own(withGuide(merchantApi)),
    handleControl: own(route(control, page, async () => respond(noSuchPath(ONLY_CONTROL)))),
    refuse: refuseAndLog(options, log),
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

/** The parts, each after those that it needs. */
function connect(options: AssembleOptions, { draining, stopping }: Pick<ControlContext, "draining" | "stopping">) {
  const { steering, replica, clock, realClock, random, basePaths, seed = null } = options;
  // Keys and tokens never come from the seed.
  const seeded = seed === null ? null : randomFrom(seed);
  const draws = seeded ?? random;

  const network = createNetwork({
    fallback: options.fallback,
    rules: options.rules,
    steering,
    reportFault: options.reportFault,
  });
  const { rules, default: byDefault } = network;
  const service = serviceOf(options, options.between?.(network) ?? network, draws);
  const { reportFault } = service.storage;
  const webhooks = webhooksOf(options, service);

  const log = createRequestLog(reportFault);
  if (options.onRequest) log.subscribe(options.onRequest);
  const requestCounts = createRequestCounts(operationsAt(basePaths));
  log.subscribe(requestCounts.add);
  const faults = new FaultPlan(reportFault);
  const { merchantApi, audit } = merchantApiOf(options, { service, webhooks, log, faults, stopping });
  const waitingRoom = createWaitingRoom({ service, realClock, reportFault });
  const eventHub = createEventHub({ service, realClock, log, audit, webhooks, random, reportFault });
  rules.subscribe(() => eventHub.steered(["rules"]));
  faults.subscribe(() => eventHub.steered(["faults"]));
  const testPayments = createTestPayments();
  // With a seed, the same requests give the same answers after a reset, too.
  const forgetRequests = seeded === null ? log.clear : log.restart;
  const restartDraws = () => seeded?.restart();
  const reset = createForgetting([
    forgetRequests,
    restartDraws,
    testPayments.clear,
    audit.beginChapter,
    waitingRoom.forget,
  ]);
  const state = { rules, default: byDefault, faults, webhook: webhooks, clock, reset } satisfies State;
  return {
    service,
    clock,
    realClock,
    draws,
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
    rememberClock: options.rememberClock,
    server: options,
    draining,
    stopping,
    version,
  } satisfies ControlContext;
}

/** @param draws what identifiers come from */
const serviceOf = (options: AssembleOptions, provider: Provider, draws: Random): Service =>
  createService({
    store: options.store,
    provider,
    clock: options.clock,
    realClock: options.realClock,
    random: options.random,
    draws,
    promptTimeoutMs: options.promptTimeoutMs,
    accountAdvice: ". momo accounts create --name NAME --id ID opens one",
    mayDecide: () => options.steering.isFresh,
    reportFault: options.reportFault,
  });

function webhooksOf(options: AssembleOptions, service: Service): Webhooks {
  const webhooks = new Webhooks({
    service,
    clock: options.clock,
    realClock: options.realClock,
    start: options.webhook === null ? null : { url: options.webhook, ...DEFAULT_SETTINGS },
    beforeSending: reachOwnMachine,
    mayDecide: () => options.steering.isFresh,
    stopwatch: options.stopwatch,
    deliveriesAtOnce: options.seed == null ? MAX_IN_FLIGHT : 1,
    reportFault: service.storage.reportFault,
  });
  if (options.onDelivery) webhooks.subscribe(options.onDelivery);
  return webhooks;
}

interface ApiParts extends Pick<ControlContext, "service" | "webhooks" | "log" | "stopping"> {
  readonly faults: FaultPlan;
}

/** The merchant API, and the audit of its client. */
function merchantApiOf(options: AssembleOptions, { service, webhooks, log, faults, stopping }: ApiParts) {
  const { basePaths, clock, stopwatch } = options;
  // With the first request: with zod, it takes 11 of 55 ms until momo serve is ready.
  const api = loadLater(() => import("../../src/http/api.ts"));
  const audit = auditClient({
    basePaths,
    inputs: () => api.now?.INPUTS ?? new Map(),
    hasWebhook: () => webhooks.settings !== null,
    accepts: options.acceptsFinding,
    ownSecret: options.ownSecret,
    log,
    service,
    clock,
    stopwatch,
    promptTimeoutMs: options.promptTimeoutMs,
    settleDeliveries: webhooks.settle,
    reportFault: service.storage.reportFault,
  });
  webhooks.subscribe(audit.delivered);
  const merchantApi = createMerchantApi({
    api,
    service,
    basePaths,
    profile: options.profile,
    opensAccounts: options.opensAccounts,
    tariff: options.tariff,
    faults,
    log,
    audit,
    ownSecret: options.ownSecret,
    webhooks,
    steering: options.steering,
    clock,
    realClock: options.realClock,
    stopwatch,
    stopping,
    reportFault: service.storage.reportFault,
  });
  return { merchantApi, audit };
}

const readPage = () => Bun.file(String(pageFile)).text();

/** A proxy is only for other machines. */
function reachOwnMachine({ hostname }: URL): void {
  if (isLoopback(hostname)) reachDirectly(hostname);
}

const ONLY_CONTROL = `the control API is below ${CONTROL_PATH}, the merchant API elsewhere`;

/** The control API and the console. A browser gets the console at /, the only path of the merchant API that it has. */
function route(control: Handler, page: Handler, others: Handler): Handler {
  return withGuide((request, keepOpen) => {
    const { path } = targetOf(request);
    const isRoot = path === "/" && (request.method === "GET" || request.method === "HEAD");
    if (path === CONSOLE_PATH || path === CONTROL_PATH || isRoot) return page(request, keepOpen);
    return path.startsWith(CONSOLE_PATH) ? control(request, keepOpen) : others(request, keepOpen);
  });
}

/** Where AI assistants look for a description of a site. */
const GUIDE_PATH = "/llms.txt";

const GUIDE_HEADERS = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };

/** Serves the guide for AI assistants in front of a handler. The guide has no secrets, so it needs no credentials. */
function withGuide(next: Handler): Handler {
  const serveGuide = async ({ method }: Request): Promise<Response> =>
    method === "GET" || method === "HEAD"
      ? new Response(guide, { headers: GUIDE_HEADERS })
      : respond(fail(405, "this path takes GET, HEAD only", { Allow: "GET, HEAD" }));
  return (request, keepOpen) => (targetOf(request).path === GUIDE_PATH ? serveGuide(request) : next(request, keepOpen));
}
