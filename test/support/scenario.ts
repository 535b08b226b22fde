import { describe, expect, test } from "bun:test";
import { forAllTests } from "./cleanup.ts";
import { type Engine, onEveryEngine, sqlite } from "./engines.ts";
import { type Caller, type Harness, type HarnessOptions, openHarness } from "./harness.ts";

/** Tables of requests and their expected answers, run against the real handler. */

/** One request as data. `/v2` is added, and the content type where there is a body. */
export interface RequestSpec {
  /** By default POST where there is a body, else GET. */
  readonly method?: string;
  readonly path: string;
  /** Whose credentials, by default the caller's. */
  readonly as?: "caller" | "other" | "anonymous";
  /** Added to the credentials or in their place. Undefined removes one. */
  readonly headers?: Record<string, string | undefined>;
  /** A body as JSON. */
  readonly json?: unknown;
  /** A body as it is. */
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** The API with two merchants, each with an account and a key. */
export interface Scene {
  readonly harness: Harness;
  readonly caller: Caller;
  readonly other: Caller;
  send(spec: RequestSpec): Promise<Answer>;
  /** Starts a payment that must be accepted. */
  start(order?: Record<string, unknown>, spec?: Partial<RequestSpec>): Promise<Started>;
  close(): Promise<void>;
}

export interface Started {
  readonly transaction_id: number;
  readonly checkout_request_id: string;
  readonly merchant_request_id: string;
}

export interface Scenario {
  readonly name: string;
  readonly request: RequestSpec | ((scene: Scene) => RequestSpec);
  readonly status: number;
  /** Some members of the answer. */
  readonly contains?: Readonly<Record<string, unknown>>;
}

export async function openScene(options: HarnessOptions = {}, engine: Engine = sqlite): Promise<Scene> {
  const place = engine === sqlite ? null : await engine.newPlace();
  const harness = openHarness(place ? { ...options, store: await place.open() } : options);
  const caller = await harness.addCaller("First Shop");
  const other = await harness.addCaller("Second Shop");
  const callers = { caller, other, anonymous: { headers: {} } };

  async function send(spec: RequestSpec): Promise<Answer> {
    const body = spec.json === undefined ? spec.body : JSON.stringify(spec.json);
    const headers = new Headers(body === undefined ? {} : { "Content-Type": "application/json" });
    for (const [name, value] of Object.entries({ ...callers[spec.as ?? "caller"].headers, ...spec.headers })) {
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    }
    const method = spec.method ?? (body === undefined ? "GET" : "POST");
    const init: RequestInit = body === undefined ? { method, headers } : { method, headers, body };
    return readAnswer(await harness.api(new Request(`http://localhost/v2${spec.path}`, init)));
  }

  return {
    harness,
    caller,
    other,
    send,
    async start(order = {}, spec = {}) {
      const content = spec.body === undefined ? { json: { ...payment(caller), ...order } } : {};
      const { status, body } = await send({ path: "/stkpush.php", ...content, ...spec });
      expect(status, String(body.message)).toBe(200);
      return body as unknown as Started;
    },
    async close() {
      await harness.close();
      await place?.leave();
      expect(harness.faults).toEqual([]);
    },
  };
}

/** The least that a payment needs. */
export function payment({ accountId }: Caller) {
  return { payment_account_id: accountId, phone: "0712345678", amount: 100 };
}

/** A request for a payment with the JSON text of one member as it is given. */
export function withRawMember({ caller }: Scene, member: string, json: string): RequestSpec {
  const { [member]: _replaced, ...others } = payment(caller) as Record<string, unknown>;
  return { path: "/stkpush.php", body: `${JSON.stringify(others).slice(0, -1)},${JSON.stringify(member)}:${json}}` };
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** What no answer may contain. */
const SECRETS = /\bms_|\bmk_|SQL|constraint|\bat \S+:\d+|\.ts\b|node_modules|undefined|\[object|NaN|Error:/;

/** The part of a refusal that repeats what the caller sent. */
const SENT = /; it is (?:a string, )?"(?:[^"\\]|\\.)*"/g;

/** What holds for every answer (§1, §7). */
export function expectSoundAnswer({ status, headers, body }: Answer): void {
  expect(headers.get("Content-Type")).toBe("application/json");
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(body.success).toBe(status === 200);
  expect(body.message).toBeString();
  expect(body.message).not.toBe("");
  if (status === 200) return;
  expect(Object.keys(body)).toEqual(["success", "message"]);
  expect(String(body.message).replaceAll(SENT, "")).not.toMatch(SECRETS);
}

/** Defines a test for each row, with one scene for all rows of an engine. A refused request must store no transaction. */
export function describeScenarios(title: string, rows: readonly Scenario[]): void {
  onEveryEngine((engine) => {
    describe(title, () => {
      const scene = forAllTests(() => openScene({}, engine));

      for (const { name, request, status, contains = {} } of rows) {
        test(name, async () => {
          const before = await countTransactions(scene);
          const answer = await scene.send(typeof request === "function" ? request(scene) : request);
          expect(answer.status, answer.text).toBe(status);
          expectSoundAnswer(answer);
          expect(answer.body).toMatchObject(contains);
          if (status !== 200) expect(await countTransactions(scene)).toBe(before);
        });
      }
    });
  });
}

async function countTransactions({ harness, caller, other }: Scene): Promise<number> {
  let count = 0;
  for (const { merchantId } of [caller, other]) {
    const { summary } = await harness.service.listTransactions(merchantId, {}, { number: 1, limit: 1 });
    count += summary.totalItems;
  }
  return count;
}
