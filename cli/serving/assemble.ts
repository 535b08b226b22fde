import guide from "../../docs/llms.txt" with { type: "text" };
import type { AuditReport, RunEnd } from "../../sandbox/audit/audit.ts";
import page from "../../sandbox/console/dist/console.html" with { type: "file" };
import { CONSOLE_PATH, createConsole } from "../../sandbox/console/page.ts";
import { CONTROL_PATH, type ControlContext, type Replica, type ServerFacts } from "../../sandbox/control/context.ts";
import { createControl } from "../../sandbox/control/control.ts";
import { createEventHub } from "../../sandbox/control/event-hub.ts";
import { type GuardOptions, isLoopback } from "../../sandbox/control/guard.ts";
import { createMerchantNames, createTestPayments } from "../../sandbox/control/memory.ts";
import { refuseAndLog } from "../../sandbox/control/observe.ts";
import { createWaitingRoom } from "../../sandbox/control/waiting-room.ts";
import { createFaultPlan } from "../../sandbox/faults.ts";
import type { Choice } from "../../sandbox/network/choice.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { createNetwork, type Network } from "../../sandbox/network/network.ts";
import type { Rule } from "../../sandbox/network/rules.ts";
import { createRequestCounts, createRequestLog, type LogListener } from "../../sandbox/request-log.ts";
import { createForgetting, type State, type Steering } from "../../sandbox/steering.ts";
import { DEFAULT_SETTINGS } from "../../sandbox/webhooks/settings.ts";
import { type DeliveryListener, Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { createMutex } from "../../src/domain/mutex.ts";
import { loadLater } from "../../src/domain/once.ts";
import type { Provider } from "../../src/domain/provider.ts";
import type { Random } from "../../src/domain/random.ts";
import { operationsAt } from "../../src/http/operation.ts";
import { fail, respond } from "../../src/http/reply.ts";
import { type Handler, type RefusePath, targetOf } from "../../src/http/request.ts";
import { createService, type Service } from "../../src/service/service.ts";
import type { Store } from "../../src/store/store.ts";
import { reachDirectly } from "../environment.ts";
import { version } from "../version.ts";
import { auditClient } from "./client-audit.ts";
import { createMerchantApi, type MerchantApiOptions } from "./merchant-api.ts";

/** What a user chooses for a sandbox, and the world that it runs in. */
export interface Settings extends Omit<MerchantApiOptions, "clock" | "steering"> {
  readonly realClock: Clock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  readonly random: Random;
  readonly promptTimeoutMs: number;
  /** A name that distinguishes this sandbox from others; absent by default. */
  readonly name?: string;
  readonly fallback: Choice;
  readonly rules: readonly Rule[];
  /** The address of the webhook that the server starts with; null if there is none. */
  readonly webhook: string | null;
  readonly reportFault: (error: unknown) => void;
  /** Called for each request of the merchant API when it is answered. */
  readonly onRequest?: LogListener;
  /** Called for each delivery of the webhook when it was tried. */
  readonly onDelivery?: DeliveryListener;
}

export interface AssembleOptions extends Settings, ServerFacts {
  readonly store: Store;
  readonly clock: VirtualClock;
  /** How settings are changed: in this server, or in all on its database. */
  readonly steering: Steering;
  /** This server, if several share its database; else null. */
  readonly replica: Replica | null;
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
  /** Refuses a path that is ambiguous, and logs it. */
  readonly refusePath: RefusePath;
  readonly service: Service;
  /** Applies the settings that other servers have changed. Call it before the first request. */
  readonly startSteering: () => Promise<void>;
  /** The report on the client. Call it when the client has ended. */
  readonly finishAudit: (end: RunEnd) => Promise<AuditReport>;
  /** Says to load balancers that no more requests should come. */
  readonly drain: () => void;
  /** Ends delays, waits and streams of events when the server stops. They would not end by themselves. */
  readonly endStreams: () => void;
  /** Start it when requests are served, and stop it before the store is closed. */
  readonly webhooks: Pick<Webhooks, "start" | "stop">;
}

const readPage = () => Bun.file(String(page)).text();

/** Connects the parts that need no port and no folder: one handler for both APIs, and the service behind them. */
export function assemble(options: AssembleOptions): Assembled {
  const { store, clock, realClock, stopwatch, random, promptTimeoutMs, basePaths, steering, replica, guard } = options;
  const [draining, stopping] = [new AbortController(), new AbortController()];
  // With the first request: it needs zod, whose load takes 6 ms of the start.
  const api = loadLater(() => import("../../src/http/api.ts"));

  const network = createNetwork({ fallback: options.fallback, rules: options.rules, steering });
  const service = createService({
    ...{ store, clock, realClock, random, promptTimeoutMs },
    provider: options.between?.(network) ?? network,
    mayResolve: () => steering.isFresh,
    reportFault: options.reportFault,
  });
  const { reportFault } = service.storing;
  const webhooks = createWebhooks(options, service);

  const log = createRequestLog();
  if (options.onRequest) log.subscribe(options.onRequest);
  const requestCounts = createRequestCounts(operationsAt(basePaths));
  log.subscribe(requestCounts.add);
  const audit = auditClient({
    ...{ log, service, clock, stopwatch, basePaths, promptTimeoutMs },
    inputs: () => api.now?.INPUTS ?? new Map(),
    hasWebhook: () => webhooks.settings !== null,
  });
  const waitingRoom = createWaitingRoom({ service, realClock, reportFault });
  const merchantNames = createMerchantNames(service.registry);
  const eventHub = createEventHub({ service, realClock, log, audit, webhooks, merchantNames, random, reportFault });
  const testPayments = createTestPayments();

  const faults = createFaultPlan();
  const reset = createForgetting([log.clear, testPayments.clear, audit.forget, waitingRoom.forget]);
  const { rules, default: byDefault } = network;
  const state: State = { rules, default: byDefault, faults, webhook: webhooks, clock, reset };

  const merchantApi = createMerchantApi(options, {
    ...{ api, service, faults, log, audit, webhooks },
    stopping: stopping.signal,
  });
  const context: ControlContext = {
    ...{ service, clock, realClock, random, steering, replica, state, rules, default: byDefault, faults, webhooks },
    ...{ log, requestCounts, audit, waitingRoom, eventHub, merchantNames, testPayments, merchantApi },
    snapshots: { byName: new Map(), mutex: createMutex() },
    rememberClock: options.rememberClock,
    server: options,
    ...{ draining: draining.signal, stopping: stopping.signal, version },
  };
  const control = withConsole(createControl({ ...context, ...guard, reportFault }), createConsole(readPage, guard));
  return {
    handle: withGuide(route(merchantApi, control)),
    handleApi: withGuide(merchantApi),
    handleControl: withGuide(control),
    refusePath: refuseAndLog(options, log),
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

function createWebhooks(
  { webhook, onDelivery, clock, realClock, steering }: AssembleOptions,
  service: Service,
): Webhooks {
  const webhooks = new Webhooks({
    ...{ service, clock, realClock, reportFault: service.storing.reportFault },
    mayDecide: () => steering.isFresh,
    start: webhook === null ? null : { url: webhook, ...DEFAULT_SETTINGS },
    // A proxy is only for other machines.
    beforeSending: ({ hostname }) => {
      if (isLoopback(hostname)) reachDirectly(hostname);
    },
  });
  if (onDelivery) webhooks.subscribe(onDelivery);
  return webhooks;
}

/** The control API and the console. A request for / is redirected to the console. */
function withConsole(control: Handler, page: Handler): Handler {
  return async (request, keepOpen) => {
    const { path } = targetOf(request);
    if (path === CONSOLE_PATH || path === CONTROL_PATH || isRoot(path, request)) return page(request, keepOpen);
    if (path.startsWith(CONSOLE_PATH)) return control(request, keepOpen);
    const hint = `the control API is below ${CONTROL_PATH}, the merchant API elsewhere`;
    return respond(fail(404, `there is nothing at this path; ${hint}`));
  };
}

/** Whether a browser requests the root, the only path of the merchant API that belongs to the console. */
function isRoot(path: string, { method }: Request): boolean {
  return path === "/" && (method === "GET" || method === "HEAD");
}

function route(api: Handler, control: Handler): Handler {
  return (request, keepOpen) => {
    const { path } = targetOf(request);
    const isControl = path === CONTROL_PATH || path.startsWith(CONSOLE_PATH) || isRoot(path, request);
    return isControl ? control(request, keepOpen) : api(request, keepOpen);
  };
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
