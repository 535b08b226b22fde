import guide from "../../docs/llms.txt" with { type: "text" };
import type { AuditReport } from "../../sandbox/audit/audit.ts";
import page from "../../sandbox/console/dist/console.html" with { type: "text" };
import { CONSOLE_PATH, createConsole } from "../../sandbox/console/page.ts";
import { CONTROL_PATH, type ControlContext, type ServerFacts } from "../../sandbox/control/context.ts";
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
import { createNetwork, type Network } from "../../sandbox/network/network.ts";
import type { Rule } from "../../sandbox/network/rules.ts";
import { createRequestLog, type LogListener } from "../../sandbox/request-log.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { type Random, token } from "../../src/domain/random.ts";
import { fail, respond } from "../../src/http/reply.ts";
import { type Handler, type RefusePath, targetOf } from "../../src/http/request.ts";
import { createService, type Service } from "../../src/service/service.ts";
import type { Store } from "../../src/store/store.ts";
import { version } from "../version.ts";
import { withGuide } from "./guide.ts";
import { type ListeningAudit, listenIn } from "./listen-in.ts";
import { answeringLate, type SendWebhooksOptions, sendWebhooks } from "./send-webhooks.ts";

export interface AssembleOptions extends ServerFacts, Omit<SendWebhooksOptions, "clock" | "realClock"> {
  readonly store: Store;
  /** The clock of the sandbox. */
  readonly clock: VirtualClock;
  /** Real time. */
  readonly realClock: Clock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  readonly random: Random;
  readonly fallback: Choice;
  readonly rules: readonly Rule[];
  /** What the service sees of the network: the network itself, unless a test puts something between the two. */
  readonly between?: (network: Network) => Provider;
  readonly guard: GuardOptions;
  /** Stores the state of the clock for the next start. */
  readonly rememberClock: () => void;
  readonly reportFault: (error: unknown) => void;
  /** Told of each call of the merchant API as it is answered. */
  readonly onRequest?: LogListener;
}

export interface Assembled {
  /** Both APIs, for one listener. */
  readonly handle: Handler;
  /** Each API alone, for a listener of its own. */
  readonly handleApi: Handler;
  readonly handleControl: Handler;
  /** Refuses a path that is ambiguous, and logs it. */
  readonly refusePath: RefusePath;
  readonly service: Service;
  /** The report on the client. Call it when the client has ended. */
  readonly finishAudit: () => Promise<AuditReport>;
  /** Ends delays, waits and streams of events when the server stops. They would not end by themselves. */
  readonly endStreams: () => void;
}

/** Connects the parts that need no port and no folder: one handler for both APIs, and the service behind them. */
export function assemble(options: AssembleOptions): Assembled {
  const { clock, realClock, random, reportFault } = options;
  const network = createNetwork({ fallback: options.fallback });
  network.rules.replace(options.rules);
  const service = createService({
    store: options.store,
    provider: options.between?.(network) ?? network,
    clock,
    realClock,
    random,
    promptTimeoutMs: options.promptTimeoutMs,
    reportFault,
  });
  const stopping = new AbortController();
  const log = createRequestLog();
  if (options.onRequest) log.subscribe(options.onRequest);
  const webhooks = sendWebhooks(options, service);
  const inputs = new Map<string, readonly string[]>(); // filled before the first call
  const audit = listenIn({ ...options, log, service, inputs, hasWebhook: () => webhooks.settings !== null });
  const waitingRoom = createWaitingRoom({ service, realClock, reportFault });
  const merchantNames = createMerchantNames(service.registry);
  const boot = token(random, 8);
  const eventHub = createEventHub({ service, realClock, log, audit, webhooks, merchantNames, boot, reportFault });
  const parts = {
    service,
    rules: network.rules,
    default: network.default,
    faults: createFaultPlan(),
    log,
    audit,
    webhooks,
    waitingRoom,
    eventHub,
    merchantNames,
    testPayments: createTestPayments(),
    stopping: stopping.signal,
  };
  const api = merchantApi(options, { ...parts, inputs });
  const control = withConsole(controlApi(options, parts, api), createConsole(String(page), options.guard));
  return {
    handle: withGuide(route(api, control), guide),
    handleApi: withGuide(api, guide),
    handleControl: withGuide(control, guide),
    refusePath: refuseAndLog(options, log),
    service,
    finishAudit: audit.finish,
    endStreams() {
      stopping.abort();
      webhooks.close();
      waitingRoom.close();
      eventHub.close();
    },
  };
}

/** The parts that both APIs share. */
type Parts = Pick<
  ControlContext,
  | "service"
  | "rules"
  | "default"
  | "faults"
  | "log"
  | "testPayments"
  | "webhooks"
  | "waitingRoom"
  | "eventHub"
  | "merchantNames"
  | "stopping"
> & { readonly audit: ListeningAudit };

function merchantApi(
  options: AssembleOptions,
  {
    service,
    faults,
    log,
    audit,
    webhooks,
    stopping,
    inputs,
  }: Parts & { readonly inputs: Map<string, readonly string[]> },
): Handler {
  const { clock, realClock, stopwatch, basePaths, accept, form, reportFault } = options;
  const load = onFirstCall(async () => {
    const { createApi, INPUTS } = await import("../../src/http/api.ts");
    for (const [operation, names] of INPUTS) inputs.set(operation, names);
    return createApi({ service: answeringLate(service, webhooks), basePaths, accept, form, version, reportFault });
  });
  const { authenticate } = service;
  const { delays } = audit;
  return observe(load, { faults, log, delays, authenticate, basePaths, stopping, clock, realClock, stopwatch });
}

function controlApi(options: AssembleOptions, parts: Parts, api: Handler): Handler {
  const { guard, clock, realClock, random, rememberClock, reportFault } = options;
  const own = { clock, realClock, random, rememberClock, reportFault, server: options, version };
  return createControl({ ...guard, ...parts, ...own, snapshots: createSnapshotShelf(), merchantApi: api });
}

/** A part that is loaded with its first request: both APIs need zod, whose load takes 6 ms of the start of a server. */
function onFirstCall<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let part: Promise<Part> | undefined;
  return () => {
    part ??= load();
    return part;
  };
}

/** The control API and the console. A request for / is redirected to the console. */
function withConsole(control: Handler, page: Handler): Handler {
  return async (request, keepOpen) => {
    const { path } = targetOf(request);
    if (path === CONSOLE_PATH || path === CONTROL_PATH || isRoot(path, request)) return page(request, keepOpen);
    if (path.startsWith(CONSOLE_PATH)) return control(request, keepOpen);
    const hint = `the control API stands below ${CONTROL_PATH}, the merchant API elsewhere`;
    return respond(fail(404, `there is nothing at this path; ${hint}`));
  };
}

/** Whether a browser asks for no path. Only this path of the merchant API belongs to the console. */
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
