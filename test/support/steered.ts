import { beforeEach, expect, test } from "bun:test";
import type { Profile } from "../../src/http/profile.ts";
import { forAllTests } from "./cleanup.ts";
import { type CallOptions, type ControlScene, HOST, openControl } from "./control.ts";
import { type EventStream, readEvents } from "./event-stream.ts";
import { START_MS } from "./harness.ts";
import { type Answer, expectSoundAnswer, payment, readAnswer } from "./scenario.ts";

/** Both APIs by the one handler of the server, for a merchant and for the user who steers the sandbox. */
export interface Steered extends ControlScene {
  /** A call of the merchant API with the first key, below `/v2`. */
  ask(method: string, path: string, options?: MerchantCall): Promise<Answer>;
  /** Starts a payment that must be accepted, and returns its checkout request id. */
  pay(order?: Record<string, unknown>, headers?: Record<string, string>): Promise<string>;
  statusOf(checkoutRequestId: string): Promise<Record<string, unknown>>;
  /** The transactions that the list shows for a query such as `?status=pending`. */
  list(query?: string): Promise<Record<string, unknown>[]>;
  /** A control call that must succeed; its answer. */
  control(method: string, path: string, json?: unknown): Promise<Record<string, unknown>>;
  /** Moves the sandbox's clock by the control API, as `{"advance": "3s"}`. */
  advanceClock(duration: string): Promise<Record<string, unknown>>;
  /** The calls of the merchant API in the log, oldest first. */
  logged(): Promise<Record<string, unknown>[]>;
  /** A control call that must be refused; its message. */
  refusal(method: string, path: string, json?: unknown, status?: number): Promise<string>;
  /** Listens to the events. */
  listen(query?: string, options?: Pick<CallOptions, "headers" | "signal">): Promise<EventStream>;
  /** Removes payments, log and steering, and sets the clock to the start. Numbers go on; merchants and snapshots stay. */
  renew(): Promise<void>;
}

interface MerchantCall {
  readonly json?: unknown;
  /** A body as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

/** One sandbox for all tests of a file, renewed before each: opening one takes ten times as long. */
export function useSteered(profile: Profile = {}): Steered {
  const sandbox = forAllTests(() => openSteered(profile));
  beforeEach(() => sandbox.renew());
  return sandbox;
}

export async function openSteered(profile: Profile = {}): Promise<Steered> {
  const scene = await openControl(undefined, profile);
  const { handle, caller } = scene;

  const ask: Steered["ask"] = async (method, path, { json, body, headers } = {}) => {
    const content = json === undefined ? body : JSON.stringify(json);
    const type = json === undefined ? {} : { "Content-Type": "application/json" };
    const sent = { Host: HOST, ...type, ...caller.headers, ...headers };
    const init = { method, headers: sent, ...(content !== undefined && { body: content }) };
    return readAnswer(await handle(new Request(`http://${HOST}/v2${path}`, init)));
  };

  async function called(status: number, method: string, path: string, json: unknown) {
    const answer = await scene.call(method, path, { json });
    expect(answer.status, `${method} ${path} ${JSON.stringify(json)?.slice(0, 200)}: ${answer.text}`).toBe(status);
    expectSoundAnswer(answer);
    return answer.body;
  }

  return {
    ...scene,
    ask,
    async pay(order = {}, headers = {}) {
      const answer = await ask("POST", "/stkpush.php", { json: { ...payment(caller), ...order }, headers });
      expect(answer.status, answer.text).toBe(200);
      return String(answer.body.checkout_request_id);
    },
    async statusOf(checkoutRequestId) {
      const json = { checkout_request_id: checkoutRequestId };
      return (await ask("POST", "/status.php", { json })).body;
    },
    async list(query = "") {
      return (await ask("GET", `/transactions.php${query}`)).body.transactions as Record<string, unknown>[];
    },
    control: (method, path, json) => called(200, method, path, json),
    advanceClock: (duration) => called(200, "POST", "/clock", { advance: duration }),
    logged: async () => (await called(200, "GET", "/requests", undefined)).requests as Record<string, unknown>[],
    refusal: async (method, path, json, status = 400) => String((await called(status, method, path, json)).message),
    listen: async (query = "", options = {}) => readEvents(await scene.request("GET", `/events${query}`, options)),
    async renew() {
      await called(200, "POST", "/reset", undefined);
      scene.harness.clock.show(START_MS, true);
    },
  };
}

/** Defines a test: each body is refused with a message that begins with `says`, and the answer of `GET path` stays as it was. */
export function testRefusals(
  sandbox: Steered,
  method: "POST" | "PUT",
  path: string,
  rows: readonly (readonly [body: unknown, says: string])[],
): void {
  const shown = async () => (await sandbox.call("GET", path)).text;
  test(`${method} ${path} refuses bad bodies, and nothing changes`, async () => {
    const before = await shown();
    for (const [body, says] of rows) {
      expect(await sandbox.refusal(method, path, body)).toStartWith(says);
      expect(await shown(), JSON.stringify(body).slice(0, 200)).toBe(before);
    }
  });
}
