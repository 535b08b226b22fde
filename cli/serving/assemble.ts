import page from "../../sandbox/console/dist/console.html" with { type: "text" };
import { CONSOLE_PATH, createConsole } from "../../sandbox/console/page.ts";
import type { ServerFacts } from "../../sandbox/control/context.ts";
import { createEventHub } from "../../sandbox/control/event-hub.ts";
import type { GuardOptions } from "../../sandbox/control/guard.ts";
import { createMerchantNames } from "../../sandbox/control/merchant-names.ts";
import { observe } from "../../sandbox/control/observe.ts";
import { CONTROL_PATH } from "../../sandbox/control/path.ts";
import { createWaitingRoom } from "../../sandbox/control/waiting-room.ts";
import { createFaultPlan } from "../../sandbox/faults.ts";
import type { Choice } from "../../sandbox/network/choice.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { createNetwork } from "../../sandbox/network/network.ts";
import type { Rule } from "../../sandbox/network/rules.ts";
import { createRequestLog, type LogListener } from "../../sandbox/request-log.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { type Random, token } from "../../src/domain/random.ts";
import { OPERATION_PATHS } from "../../src/http/operation.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import { createService, type Service } from "../../src/service/service.ts";
import type { Store } from "../../src/store/store.ts";
import { version } from "../version.ts";

export interface AssembleOptions extends ServerFacts {
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
  readonly between?: (network: Provider) => Provider;
  readonly guard: GuardOptions;
  /** Keeps where the clock stands. */
  readonly rememberClock: () => void;
  readonly reportFault: (error: unknown) => void;
  /** Told of each call of the merchant API as it is answered. */
  readonly onRequest?: LogListener;
}

export interface Assembled {
  readonly handle: Handler;
  readonly service: Service;
  /** Ends what would not end by itself, when the server stops: delays, waits and streams of events. */
  readonly endStreams: () => void;
}

/** Ties the parts together that need no port and no folder: one handler for both APIs, and the service behind them. */
export function assemble(options: AssembleOptions): Assembled {
  const { clock, realClock, random, basePath, reportFault } = options;
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
  const api = observe(
    onFirstCall(async () => {
      const { createApi } = await import("../../src/http/api.ts");
      return createApi({ service, basePath, form: options.form, version, reportFault });
    }),
    {
      faults,
      log,
      basePath,
      operationPaths: OPERATION_PATHS,
      stopping: stopping.signal,
      clock,
      realClock,
      stopwatch: options.stopwatch,
    },
  );
  const waitingRoom = createWaitingRoom(service);
  const merchantNames = createMerchantNames(service.registry);
  const eventHub = createEventHub({ service, log, merchantNames, boot: token(random, 8), reportFault });
  const control = onFirstCall(async () => {
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
  return {
    handle: route(api, control, createConsole(String(page), options.guard)),
    service,
    endStreams() {
      stopping.abort();
      waitingRoom.close();
      eventHub.close();
    },
  };
}

/**
 * A part that is loaded with its first request: zod, which both APIs need, takes 6 ms to load, and a server is ready sooner
 * without.
 */
function onFirstCall(load: () => Promise<Handler>): Handler {
  let handler: Promise<Handler> | undefined;
  return async (request, keepOpen) => {
    handler ??= load();
    return (await handler)(request, keepOpen);
  };
}

function route(api: Handler, control: Handler, page: Handler): Handler {
  return (request, keepOpen) => {
    const { path } = targetOf(request);
    if (path === CONSOLE_PATH || path === CONTROL_PATH) return page(request, keepOpen);
    if (path.startsWith(CONSOLE_PATH)) return control(request, keepOpen);
    // Of the merchant API's own surface only a browser that was given no path is led away.
    if (path === "/" && (request.method === "GET" || request.method === "HEAD")) return page(request, keepOpen);
    return api(request, keepOpen);
  };
}
