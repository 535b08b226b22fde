import guide from "../../docs/llms.txt" with { type: "text" };
import type { AuditReport } from "../../sandbox/audit/audit.ts";
import page from "../../sandbox/console/dist/console.html" with { type: "text" };
import { CONSOLE_PATH, createConsole } from "../../sandbox/console/page.ts";
import type { ServerFacts } from "../../sandbox/control/context.ts";
import { createEventHub } from "../../sandbox/control/event-hub.ts";
import type { GuardOptions } from "../../sandbox/control/guard.ts";
import { createMerchantNames } from "../../sandbox/control/merchant-names.ts";
import { observe } from "../../sandbox/control/observe.ts";
import { CONTROL_PATH } from "../../sandbox/control/path.ts";
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
import { OPERATION_PATHS } from "../../src/http/operation.ts";
import { fail, failWith, respond } from "../../src/http/reply.ts";
import { expectPlainPath, type Handler, isAmbiguous, targetOf } from "../../src/http/request.ts";
import { createService, type Service } from "../../src/service/service.ts";
import type { Store } from "../../src/store/store.ts";
import { version } from "../version.ts";
import { withGuide } from "./guide.ts";
import { listenIn } from "./listen-in.ts";
import { answeringLate, type SendWebhooksOptions, sendWebhooks } from "./send-webhooks.ts";

export interface AssembleOptions extends ServerFacts, Omit<SendWebhooksOptions, "clock" | "realClock"> {
  readonly store: Store;
  /** The time that momo goes by. */
  readonly clock: VirtualClock;
  /** The time that passes outside. */
  readonly realClock: Clock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  readonly random: Random;
  readonly fallback: Choice;
  readonly rules: readonly Rule[];
  /** What the service sees of the network: the network itself, unless a test puts something between the two. */
  readonly between?: (network: Network) => Provider;
  readonly guard: GuardOptions;
  /** Keeps where the clock stands. */
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
  readonly service: Service;
  /** What the client did wrong, once it has ended. */
  readonly finishAudit: () => Promise<AuditReport>;
  /** Ends what would not end by itself, when the server stops: delays, waits and streams of events. */
  readonly endStreams: () => void;
}

/** Ties the parts together that need no port and no folder: one handler for both APIs, and the service behind them. */
export function assemble(options: AssembleOptions): Assembled {
  const { clock, realClock, random, basePaths, reportFault } = options;
  const sandbox = createNetwork({ fallback: options.fallback });
  sandbox.rules.replace(options.rules);
  const service = createService({
    store: options.store,
    provider: options.between?.(sandbox) ?? sandbox,
    clock,
    realClock,
    random,
    promptLifetimeMs: options.promptLifetimeMs,
    reportFault,
  });
  const stopping = new AbortController();
  const faults = createFaultPlan();
  const log = createRequestLog();
  if (options.onRequest) log.subscribe(options.onRequest);
  const webhooks = sendWebhooks(options, service);
  const audit = listenIn({ ...options, log, service, basePaths, hasWebhook: () => webhooks.settings !== null });
  const api = observe(
    onFirstCall(async () => {
      const { createApi } = await import("../../src/http/api.ts");
      const { accept, form } = options;
      return createApi({ service: answeringLate(service, webhooks), basePaths, accept, form, version, reportFault });
    }),
    {
      faults,
      log,
      delays: audit.delays,
      authenticate: service.authenticate,
      basePaths,
      stopping: stopping.signal,
      clock,
      realClock,
      stopwatch: options.stopwatch,
    },
  );
  const waitingRoom = createWaitingRoom(service);
  const merchantNames = createMerchantNames(service.registry);
  const eventHub = createEventHub({
    service,
    log,
    audit,
    webhooks,
    merchantNames,
    boot: token(random, 8),
    reportFault,
  });
  const loadControl = onFirstCall(async () => {
    const { createControl } = await import("../../sandbox/control/control.ts");
    return createControl({
      ...options.guard,
      service,
      clock,
      realClock,
      random,
      rules: sandbox.rules,
      default: sandbox.default,
      faults,
      log,
      testPayments: createTestPayments(),
      merchantApi: api,
      audit,
      webhooks,
      snapshots: createSnapshotShelf(),
      waitingRoom,
      eventHub,
      merchantNames,
      operationPaths: OPERATION_PATHS,
      rememberClock: options.rememberClock,
      server: options,
      stopping: stopping.signal,
      version,
      reportFault,
    });
  });
  const control: Handler = async (request, keepOpen) => (await loadControl())(request, keepOpen);
  const handleControl = withConsole(control, createConsole(String(page), options.guard), reportFault);
  return {
    handle: withGuide(route(api, handleControl), guide),
    handleApi: withGuide(api, guide),
    handleControl: withGuide(handleControl, guide),
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

/**
 * A part that is loaded with its first request: zod, which both APIs need, takes 6 ms to load, and a server is ready sooner
 * without.
 */
function onFirstCall<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let part: Promise<Part> | undefined;
  return () => {
    part ??= load();
    return part;
  };
}

/** The control API and the console; a browser that was given no path is led to the console. */
function withConsole(control: Handler, page: Handler, reportFault: (error: unknown) => void): Handler {
  return async (request, keepOpen) => {
    try {
      expectPlainPath(request);
    } catch (error) {
      return respond(failWith(error, reportFault));
    }
    const { path } = targetOf(request);
    if (path === CONSOLE_PATH || path === CONTROL_PATH || isRoot(request)) return page(request, keepOpen);
    if (path.startsWith(CONSOLE_PATH)) return control(request, keepOpen);
    const hint = `the control API stands below ${CONTROL_PATH}, the merchant API elsewhere`;
    return respond(fail(404, `there is nothing at this path; ${hint}`));
  };
}

/** Of the merchant API's own surface only a browser that was given no path is led away. */
function isRoot(request: Request): boolean {
  return targetOf(request).path === "/" && (request.method === "GET" || request.method === "HEAD");
}

function route(api: Handler, control: Handler): Handler {
  return (request, keepOpen) => {
    // Refused there, and logged.
    if (isAmbiguous(request)) return api(request, keepOpen);
    const { path } = targetOf(request);
    const isControl = path === CONTROL_PATH || path.startsWith(CONSOLE_PATH) || isRoot(request);
    return isControl ? control(request, keepOpen) : api(request, keepOpen);
  };
}
