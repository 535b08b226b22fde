import { beforeEach, expect } from "bun:test";
import { Environment } from "../../cli/environment.ts";
import { type AssembleOptions, assemble, type Settings } from "../../cli/serving/assemble.ts";
import type { ServerFacts } from "../../sandbox/control/context.ts";
import type { GuardOptions } from "../../sandbox/control/guard.ts";
import { createVirtualClock } from "../../sandbox/network/clock.ts";
import { steeredAlone } from "../../sandbox/steering.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { systemClock } from "../../src/system.ts";
import { forAllTests, later } from "./cleanup.ts";
import { readEvents } from "./client.ts";
import { sqlite } from "./engines.ts";
import { seededRandom } from "./random.ts";
import { addCaller, type Caller, START_MS } from "./service.ts";
import { inTime } from "./waiting.ts";

/** Both APIs, put together as the server puts them, without a port; and tables of requests with the expected answers. */

export const HOST = "127.0.0.1:2547";

/** What all assembled sandboxes of the tests have in common. */
export const USUAL = {
  settings: { fallback: { outcome: "completed" }, rules: [], webhook: null },
  server: {
    id: "SCENE",
    ownSecret: "OWN",
    basePaths: ["/v2", "/api/v2"],
    profile: {},
    promptTimeoutMs: 60_000,
    seed: null,
    name: null,
    data: null,
    merchantPort: () => null,
    credentials: { api_key: "mk_none", api_secret: "ms_none", payment_account_id: 1 },
  },
  guard: { host: "127.0.0.1", token: null },
  steering: steeredAlone,
  replica: null,
  rememberClock: () => {},
} satisfies Partial<AssembleOptions>;

/** One request to the merchant API as data. `/v2` is added, and the content type where there is a body. */
export interface RequestSpec extends CallOptions {
  /** By default POST where there is a body, else GET. */
  readonly method?: string;
  readonly path: string;
  /** Whose credentials, by default the caller's. */
  readonly as?: "caller" | "other" | "anonymous";
}

export interface CallOptions {
  /** Added to those that are sent anyway, or in their place. Undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A body as JSON. */
  readonly json?: unknown;
  /** A body as it is. */
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array> | URLSearchParams;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface Started {
  readonly transaction_id: number;
  readonly checkout_request_id: string;
  readonly merchant_request_id: string;
}

export interface SceneOptions
  extends Partial<Pick<Settings, "fallback" | "webhook" | "onRequest" | "onDelivery">>,
    Partial<Pick<ServerFacts, "basePaths" | "credentials" | "profile" | "promptTimeoutMs" | "seed">> {
  readonly guard?: GuardOptions;
  readonly startMs?: number;
  /** In the place of the simulated network. */
  readonly provider?: Provider;
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Two merchants, each with an account and a key; and the user who steers. The clock is frozen: only the test moves it. */
export async function openScene({ startMs = START_MS, provider, ...options }: SceneOptions = {}, engine = sqlite) {
  const place = await engine.newPlace();
  const store = await place.open();
  const clock = createVirtualClock(systemClock, { frozenAtMs: startMs });
  const faults: unknown[] = [];
  const { handle, refuse, service, webhooks, endStreams, finishAudit } = assemble({
    ...USUAL,
    settings: { ...USUAL.settings, ...options },
    server: { ...USUAL.server, ...options },
    world: {
      realClock: systemClock,
      stopwatch: () => performance.now(),
      random: seededRandom(1),
      warn: () => {},
      environment: new Environment({}),
      reportFault: (error) => void faults.push(error),
    },
    guard: options.guard ?? USUAL.guard,
    store,
    clock,
    wrapProvider: (network) => provider ?? network,
  });
  const caller = await addCaller(service, "First Shop");
  const other = await addCaller(service, "Second Shop");
  const headersOf = { caller: caller.headers, other: other.headers, anonymous: {} };

  /** As a client on this machine sends it. */
  function ask(target: string, method: string, { headers = {}, json, body, signal }: CallOptions): Promise<Response> {
    const content = json === undefined ? body : JSON.stringify(json);
    const isMerchants = !target.startsWith("/_momo");
    const sent = new Headers({ Host: HOST });
    if (json !== undefined || (isMerchants && body !== undefined)) sent.set("Content-Type", "application/json");
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) sent.delete(name);
      else sent.set(name, value);
    }
    const init = { method, headers: sent, ...(content !== undefined && { body: content }), ...(signal && { signal }) };
    const answer = handle(new Request(`http://${HOST}${target}`, init as RequestInit));
    return inTime(answer, () => `no answer came: ${method} ${target}`);
  }

  async function send({ path, as = "caller", ...spec }: RequestSpec): Promise<Answer> {
    const method = spec.method ?? (spec.json === undefined && spec.body === undefined ? "GET" : "POST");
    const headers = { ...headersOf[as], ...spec.headers };
    return readAnswer(await ask(`/v2${path}`, method, { ...spec, headers }));
  }

  /** Any control request. */
  const request = (method: string, path: string, options: CallOptions = {}) => ask(`/_momo${path}`, method, options);
  const call = async (method: string, path: string, options: CallOptions = {}) =>
    readAnswer(await request(method, path, options));

  async function called(status: number, method: string, path: string, json: unknown) {
    const answer = await call(method, path, { json });
    expect(answer.status, `${method} ${path} ${JSON.stringify(json)?.slice(0, 200)}: ${answer.text}`).toBe(status);
    expectSoundAnswer(answer);
    expect(answer.headers.get("Content-Security-Policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    return answer.body;
  }

  /** Starts a payment that must be accepted. */
  async function start(order: object = {}, spec: Partial<RequestSpec> = {}): Promise<Started> {
    const content = spec.body === undefined ? { json: { ...payment(caller), ...order } } : {};
    const { status, text, body } = await send({ path: "/stkpush.php", ...content, ...spec });
    expect(status, text).toBe(200);
    return body as unknown as Started;
  }

  return {
    place,
    store,
    clock,
    service,
    handle,
    refuse,
    /** Ends the streams of events, which a stop does first. */
    endStreams,
    /** What `momo exec` reports when its command has ended. */
    finishAudit,
    caller,
    other,
    /** The errors that were reported. The test removes those that it expects. */
    faults,
    send,
    /** The same with a method and a path; a body that is not JSON has no content type. */
    ask(method: string, path: string, { headers, ...content }: CallOptions = {}) {
      const untyped = content.json === undefined ? { "Content-Type": undefined } : {};
      return send({ method, path, ...content, headers: { ...untyped, ...headers } });
    },
    start,
    /** Starts a payment that must be accepted, and returns its checkout request id. */
    pay: async (order: object = {}, headers: Record<string, string> = {}) =>
      (await start(order, { headers })).checkout_request_id,
    statusOf: async (checkout_request_id: string) =>
      (await send({ path: "/status.php", json: { checkout_request_id } })).body,
    /** The transactions that the list shows for a query such as `?status=pending`. */
    list: async (query = "") =>
      (await send({ path: `/transactions.php${query}` })).body.transactions as Record<string, unknown>[],
    request,
    /** The same, with its answer in JSON. */
    call,
    /** A control call that must succeed; its answer. */
    control: (method: string, path: string, json?: unknown) => called(200, method, path, json),
    /** A control call that must be refused; its message. */
    refusal: async (method: string, path: string, json?: unknown, status = 400) =>
      String((await called(status, method, path, json)).message),
    /** Moves the clock by the control API, as `{"advance": "3s"}`. */
    advanceClock: (duration: string) => called(200, "POST", "/clock", { advance: duration }),
    /** Moves the clock, and resolves what is due. */
    async advance(durationMs: number): Promise<void> {
      clock.advance(durationMs);
      await service.resolver.resolveDue();
    },
    /** The calls of the merchant API in the log, oldest first. */
    logged: async () => (await called(200, "GET", "/requests", undefined)).requests as Record<string, unknown>[],
    /** Listens to the events. */
    listen: async (query = "", options: CallOptions = {}) =>
      readEvents(await request("GET", `/events${query}`, options)),
    /** Removes payments, log and steering, and sets the clock to the start. Numbers go on; merchants and snapshots stay. */
    async renew(): Promise<void> {
      await called(200, "POST", "/reset", undefined);
      clock.show(startMs, true);
    },
    async close(): Promise<void> {
      await service.resolver.stop();
      endStreams();
      await webhooks.stop();
      await place.leave();
      expect(faults).toEqual([]);
    },
  };
}

/** A scene that `cleanUp` closes. */
export async function newScene(...args: Parameters<typeof openScene>): Promise<Scene> {
  const scene = await openScene(...args);
  later(scene.close);
  return scene;
}

/** One scene for all tests of a file, renewed before each: opening one takes ten times as long. */
export function useScene(options: SceneOptions = {}): Scene {
  const scene = forAllTests(() => openScene(options));
  beforeEach(() => scene.renew());
  return scene;
}

/** The least that a payment needs. */
export function payment({ accountId }: Caller) {
  return { payment_account_id: accountId, phone: "0712345678", amount: 100 };
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** What no answer may contain. */
const SECRETS = /\bms_|\bmk_|SQL|constraint|\bat \S+:\d+|\.ts\b|node_modules|undefined|\[object|NaN|Error:/;

/** The part of a refusal that repeats what the caller sent, or names NaN. */
const SENT = /(?:; it is (?:a string, )?|at character \d+, )"(?:[^"\\]|\\.)*"|JSON (?:writes|has no) NaN/g;

/** What holds for every answer (§1, §7); refusals of the control API also have their issues. */
export function expectSoundAnswer({ status, headers, body }: Answer): void {
  expect(headers.get("Content-Type")).toBe("application/json");
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(body.success).toBe(status === 200);
  expect(body.message).toBeString();
  expect(body.message).not.toBe("");
  if (status === 200) return;
  const { issues = [], ...said } = body as { issues?: { path: string; rule: string }[] };
  expect(Object.keys(said)).toEqual(["success", "message"]);
  expect(String(body.message).replaceAll(SENT, "")).not.toMatch(SECRETS);
  for (const { path, rule } of issues) expect(`${path} ${rule}`).not.toMatch(SECRETS);
}
