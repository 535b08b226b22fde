import type { AuditReport, DeliveryRecord, RequestRecord, TransactionRecord } from "./records.ts";
import { type SandboxProcess, startExecutable } from "./sandbox-process.ts";
import type { FakeTimers, SandboxOptions, StartSandbox } from "./test-sandbox.ts";

/** A sandbox for tests in Node, Bun and Deno. */

export type * from "./records.ts";
export type * from "./test-sandbox.ts";

export const startSandbox: StartSandbox = async (options = {}) => {
  const started = await startExecutable(flagsOf(options));
  const { ready } = started;
  const { send, list } = connect(started);
  const tell = async (method: string, path: string, body?: object) => void (await send(method, path, body));
  const snapshot = (name: string) => `/snapshots/${encodeURIComponent(name)}`;
  if (options.frozen) await tell("POST", "/clock", { freeze: true });
  return {
    baseUrl: ready.base_url,
    controlUrl: ready.control_url,
    apiKey: ready.api_key,
    apiSecret: ready.api_secret,
    paymentAccountId: ready.payment_account_id,
    headers: { "X-API-Key": ready.api_key, "X-API-Secret": ready.api_secret },
    rules: {
      add: (...rules) => tell("POST", "/rules", { rules }),
      clear: () => tell("DELETE", "/rules"),
    },
    faults: {
      set: async (faults, seed) => (await send<{ seed: number }>("PUT", "/faults", { faults, seed })).seed,
      clear: () => tell("DELETE", "/faults"),
    },
    webhook: {
      set: (webhook) => tell("PUT", "/webhook", webhook),
      clear: () => tell("DELETE", "/webhook"),
      deliveries: () => list<DeliveryRecord>("/webhook", "deliveries"),
      resend: async (id) =>
        (await send<{ delivery: DeliveryRecord }>("POST", `/webhook/deliveries/${id}/resend`, {})).delivery,
    },
    clock: {
      freeze: () => tell("POST", "/clock", { freeze: true }),
      advance: (duration) => tell("POST", "/clock", { advance: duration }),
      advanceTo: (time) => tell("POST", "/clock", { to: time }),
      advanceWith: <T>(timers: FakeTimers, until: PromiseLike<T> | string) =>
        advanceTogether(timers, until, send) as Promise<T>,
      resume: () => tell("POST", "/clock", { resume: true }),
    },
    answer: async (id, answer) =>
      (await send<OneTransaction>("POST", `/prompts/${encodeURIComponent(id)}/answer`, answer)).transaction,
    wait: async (payment, until = "final", timeout = "10s") => {
      const { reference, checkoutRequestId } = { reference: undefined, checkoutRequestId: undefined, ...payment };
      const question = { reference, checkout_request_id: checkoutRequestId, until, timeout };
      return (await send<OneTransaction>("POST", "/wait", question)).transaction;
    },
    requests: () => list<RequestRecord>("/requests", "requests"),
    audit: () => send<AuditReport>("GET", "/audit?over=true"),
    snapshot: (name) => tell("PUT", snapshot(name), {}),
    restore: (name) => tell("POST", `${snapshot(name)}/restore`, {}),
    reset: () => tell("POST", "/reset", {}),
    stop: started.stop,
  };
};

/** `promptTimeout` is `--prompt-timeout`. */
function flagsOf({ frozen: _, ...options }: SandboxOptions): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`],
  );
}

type OneTransaction = { readonly transaction: TransactionRecord };

/** A client of the control API of this sandbox, and of no other one that gets its port. */
function connect({ ready: { id, control_url: controlUrl }, hasEnded }: SandboxProcess) {
  const gone = (cause?: unknown) =>
    new Error(`the sandbox at ${controlUrl} does not answer: was it stopped?`, { cause });

  /**
   * @returns an answer of the type that the control API has for this call
   * @throws Error in the words of the sandbox, if it refuses
   */
  async function send<T extends object>(method: string, path: string, body?: object): Promise<T> {
    if (hasEnded()) throw gone();
    const response = await fetch(controlUrl + path, {
      method,
      headers: { "X-Momo-Server": id, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw gone(error);
    });
    const answer = (await response.json()) as T & { readonly message: string };
    if (response.status === 421) throw gone(answer.message);
    if (!response.ok) throw new Error(answer.message);
    return answer;
  }

  /** A whole list, page by page, oldest first. */
  async function list<T extends { readonly id: number }>(path: string, name: string): Promise<T[]> {
    const entries: T[] = [];
    for (;;) {
      const [oldest] = entries;
      const answer = await send<Record<string, unknown>>("GET", oldest ? `${path}?before=${oldest.id}` : path);
      entries.unshift(...(answer[name] as T[]));
      if (answer.next === null) return entries;
    }
  }

  return { send, list };
}

const STEP_MS = 500;
const DAY_MS = 24 * 3_600_000;
const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

type Send = (method: string, path: string, body: object) => Promise<unknown>;

/**
 * Moves two clocks in steps.
 * @param until a duration, or a promise of the code under test
 * @param send a call of the control API
 */
export async function advanceTogether<T>(
  timers: FakeTimers,
  until: PromiseLike<T> | string,
  send: Send,
): Promise<T | undefined> {
  const isDuration = typeof until === "string";
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  if (!isDuration) until.then(settle, settle);
  for (let leftMs = isDuration ? parse(until) : DAY_MS; leftMs > 0; leftMs -= STEP_MS) {
    await pause(send);
    if (isSettled) return until as PromiseLike<T>;
    const stepMs = Math.min(STEP_MS, leftMs);
    await send("POST", "/clock", { advance: `${stepMs}ms` });
    if ("tick" in timers) timers.tick(stepMs);
    else timers.advanceTimersByTime(stepMs);
  }
  if (!isDuration) throw new Error("the promise is still pending after a day of the sandbox's clock");
  await pause(send);
  return undefined;
}

/** Real time for the requests of the code under test. The server waits, because all timers of this process may be fake. */
const pause = (send: Send) => send("POST", "/wait", { reference: "-", timeout: "5ms" }).catch(() => {});

function parse(duration: string): number {
  const [, count, unit] = /^([0-9]+)(ms|s|m|h)$/.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`advanceWith needs a promise, or a duration such as 5s; it is "${duration}"`);
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
