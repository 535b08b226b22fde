import guide from "../../docs/llms.txt" with { type: "text" };
import type { AuditReport, RunEnd } from "../../sandbox/audit/audit.ts";
import page from "../../sandbox/console/dist/console.html" with { type: "text" };
import { CONSOLE_PATH, createConsole } from "../../sandbox/console/page.ts";
import { CONTROL_PATH, type ControlContext, type OwnMemory, type ServerFacts } from "../../sandbox/control/context.ts";
import { createControl } from "../../sandbox/control/control.ts";
import { createEventHub } from "../../sandbox/control/event-hub.ts";
import type { GuardOptions } from "../../sandbox/control/guard.ts";
import { createMerchantNames } from "../../sandbox/control/merchant-names.ts";
import { observe, refuseAndLog } from "../../sandbox/control/observe.ts";
import { createSnapshotShelf } from "../../sandbox/control/snapshot-shelf.ts";
import { createTestPayments } from "../../sandbox/control/test-payments.ts";
import { createWaitingRoom } from "../../sandbox/control/waiting-room.ts";
import { createFaultPlan } from "../../sandbox/faults.ts";
import type { Choice } from "../../sandbox/network/choice.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { createNetwork, type Network, type NetworkOptions } from "../../sandbox/network/network.ts";
import type { Rule } from "../../sandbox/network/rules.ts";
import { createRequestCounts } from "../../sandbox/request-counts.ts";
import { createRequestLog, type LogListener } from "../../sandbox/request-log.ts";
import { steeredAlone } from "../../sandbox/steering.ts";
import type { Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Tariff } from "../../src/domain/fee.ts";
import { once } from "../../src/domain/once.ts";
import type { Provider } from "../../src/domain/provider.ts";
import type { Random } from "../../src/domain/random.ts";
import { operationAt } from "../../src/http/operation.ts";
import { fail, respond } from "../../src/http/reply.ts";
import { type Handler, type RefusePath, targetOf } from "../../src/http/request.ts";
import { createService, type Service } from "../../src/service/service.ts";
import type { Store } from "../../src/store/store.ts";
import { version } from "../version.ts";
import type { Shared, SharedSteering } from "./engine.ts";
import { withGuide } from "./guide.ts";
import { type ListeningAudit, listenIn } from "./listen-in.ts";
import { openingAccounts } from "./open-accounts.ts";
import { answeringLate, type SendWebhooksOptions, sendWebhooks } from "./send-webhooks.ts";

export interface AssembleOptions extends ServerFacts, Omit<SendWebhooksOptions, "clock" | "realClock"> {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly realClock: Clock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  readonly random: Random;
  readonly fallback: Choice;
  readonly rules: readonly Rule[];
  /** The provider of the service: the network itself, unless a test wraps it. */
  readonly between?: (network: Network) => Provider;
  readonly guard: GuardOptions;
  /** Whether a payment opens its account if there is none, with this tariff. */
  readonly opensAccounts?: boolean;
  readonly tariff?: Tariff | null;
  /** Stores the state of the clock for the next start. */
  readonly rememberClock: () => void;
  /** What several servers on one database share; absent for a server with its own database. */
  readonly shared?: Shared | null;
  readonly reportFault: (error: unknown) => void;
  /** Called for each request of the merchant API when it is answered. */
  readonly onRequest?: LogListener;
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
  /** Start it before the first request, and stop it at the end; null for a server with its own database. */
  readonly steering: SharedSteering | null;
  /** The report on the client. Call it when the client has ended. */
  readonly finishAudit: (end: RunEnd) => Promise<AuditReport>;
  /** Says to load balancers that no more requests should come. */
  readonly drain: () => void;
  /** Ends delays, waits and streams of events when the server stops. They would not end by themselves. */
  readonly endStreams: () => void;
  /** Start it when requests are served, and stop it before the store is closed. */
  readonly webhooks: Pick<Webhooks, "start" | "stop">;
}

/** Connects the parts that need no port and no folder: one handler for both APIs, and the service behind them. */
export function assemble(options: AssembleOptions): Assembled {
  const { clock, realClock, stopwatch, random, basePaths, shared = null } = options;
  const count: NetworkOptions["count"] = shared ? (work) => (steering ?? steeredAlone).count(work) : undefined;
  const network = createNetwork({ fallback: options.fallback, ...(count && { count }) });
  network.rules.replace(options.rules);
  const mayDecide = shared ? () => steering?.isFresh ?? false : undefined;
  const service = createService({
    store: options.store,
    provider: options.between?.(network) ?? network,
    ...{ clock, realClock, random, promptTimeoutMs: options.promptTimeoutMs },
    ...(mayDecide && { mayResolve: mayDecide }),
    reportFault: options.reportFault,
  });
  const { reportFault } = service.storing;
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const log = createRequestLog();
  if (options.onRequest) log.subscribe(options.onRequest);
  const requestCounts = createRequestCounts((path) => operationAt(path, basePaths));
  log.subscribe(requestCounts.add);
  const webhooks = sendWebhooks(options, service, mayDecide);
  const inputs = new Map<string, readonly string[]>(); // filled before the first request
  const audit = listenIn({ ...options, log, service, inputs, hasWebhook: () => webhooks.settings !== null });
  const waitingRoom = createWaitingRoom({ service, realClock, reportFault });
  const merchantNames = createMerchantNames(service.registry);
  const eventHub = createEventHub({ service, realClock, log, audit, webhooks, merchantNames, random, reportFault });
  const testPayments = createTestPayments();
  const ownMemory = createOwnMemory([log.clear, testPayments.clear, audit.forget, waitingRoom.forget]);
  const steered = { rules: network.rules, default: network.default, faults: createFaultPlan(), webhooks, ownMemory };
  const steering = shared?.steer({ steered: { ...steered, clock }, eventHub, realClock, stopwatch }) ?? null;
  const parts = {
    ...steered,
    service,
    steering: steering ?? steeredAlone,
    replica: shared?.replica ?? null,
    ...(count && { count }),
    log,
    requestCounts,
    audit,
    waitingRoom,
    eventHub,
    merchantNames,
    testPayments,
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const merchant = merchantApi(options, { ...parts, inputs });
  const api = shared && steering ? shared.whenFresh(merchant, steering, reportFault) : merchant;
  const control = withConsole(controlApi(options, parts, api), createConsole(String(page), options.guard));
  return {
    handle: withGuide(route(api, control), guide),
    handleApi: withGuide(api, guide),
    handleControl: withGuide(control, guide),
    refusePath: refuseAndLog(options, log),
    service,
    steering,
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

type Parts = Omit<
  ControlContext,
  "clock" | "realClock" | "random" | "rememberClock" | "server" | "version" | "snapshots" | "merchantApi" | "audit"
> & { readonly audit: ListeningAudit; readonly count?: NonNullable<NetworkOptions["count"]> };

function createOwnMemory(forgets: readonly (() => void)[]): OwnMemory {
  let resets = 0;
  return {
    get resets() {
      return resets;
    },
    forget(count = resets + 1) {
      resets = count;
      for (const forget of forgets) forget();
    },
  };
}

function merchantApi(
  options: AssembleOptions,
  parts: Parts & { readonly inputs: Map<string, readonly string[]> },
): Handler {
  const { service, faults, count, log, audit, webhooks, stopping, inputs } = parts;
  const { clock, realClock, stopwatch, basePaths, accept, form } = options;
  // Loaded with the first request: it needs zod, whose load takes 6 ms of the start.
  const load = once(async () => {
    const { createApi, INPUTS } = await import("../../src/http/api.ts");
    for (const [operation, names] of INPUTS) inputs.set(operation, names);
    const { reportFault } = service.storing;
    const { tariff = null } = options;
    const opening = options.opensAccounts ? openingAccounts(service, tariff, audit.accountOpened) : service;
    return createApi({ service: answeringLate(opening, webhooks), basePaths, accept, form, version, reportFault });
  });
  const { authenticate } = service;
  const { delays } = audit;
  const counting = count && { count };
  return observe(load, {
    faults,
    ...counting,
    log,
    delays,
    authenticate,
    basePaths,
    stopping,
    clock,
    realClock,
    stopwatch,
  });
}

function controlApi(options: AssembleOptions, parts: Parts, api: Handler): Handler {
  const { guard, clock, realClock, random, rememberClock } = options;
  const { reportFault } = parts.service.storing;
  const own = { clock, realClock, random, rememberClock, reportFault, server: options, version };
  return createControl({ ...guard, ...parts, ...own, snapshots: createSnapshotShelf(), merchantApi: api });
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
