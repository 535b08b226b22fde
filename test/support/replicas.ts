import { describe } from "bun:test";
import { blocksOf, readDocument } from "./documents.ts";
import { type ReadyRecord, type RunOptions, type Served, serveMomo } from "./momo.ts";
import { describePostgres, newDatabase, sharedServer } from "./postgres.ts";
import { startHaproxy } from "./proxies.ts";
import { until } from "./waiting.ts";

/** Several real `momo serve` on one real PostgreSQL. */

/** The version that the tests of replicas use; the store has its tests on each. */
const VERSION = "15";

/** Defines tests that need PostgreSQL. */
export function describeWithPostgres(name: string, define: () => void): void {
  describe(name, () => describePostgres(define, [VERSION]));
}

/** The URL of a new database with nothing in it. */
export async function emptyDatabase(): Promise<string> {
  return newDatabase(await sharedServer(VERSION), { empty: true });
}

/** The key that all replicas of a test know. */
export const KEY = {
  MOMO_API_KEY: `mk_${"k".repeat(24)}`,
  MOMO_API_SECRET: `ms_${"s".repeat(40)}`,
};

export const HEADERS: Record<string, string> = {
  "X-API-Key": KEY.MOMO_API_KEY,
  "X-API-Secret": KEY.MOMO_API_SECRET,
  "Content-Type": "application/json",
};

export interface ReplicaServer extends Served {
  readonly name: string;
  /** A control call that must succeed. */
  control(method: string, path: string, json?: unknown): Promise<Record<string, unknown>>;
  /** Any control call. */
  ask(method: string, path: string, json?: unknown): Promise<Response>;
  /** Starts a payment, and returns its checkout request id. */
  pay(order?: Record<string, unknown>, outcome?: string): Promise<string>;
  statusOf(checkoutRequestId: string): Promise<string>;
}

/** Starts a replica. It is ended by `cleanUp`. */
export async function startReplica(
  url: string,
  name: string,
  flags: readonly string[] = [],
  options: RunOptions = {},
): Promise<ReplicaServer> {
  const env = { ...KEY, MOMO_DATABASE: url, ...options.env };
  const served = await serveMomo(["--replica", name, "--drain", "0s", ...flags], { ...options, env });
  return { ...served, ...callsOf(served.ready), name };
}

function callsOf({ base_url, control_url }: ReadyRecord) {
  const ask = (method: string, path: string, json?: unknown) =>
    fetch(control_url + path, {
      method,
      ...(json !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(json) }),
    });
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(base_url + path, { method: "POST", headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) });
  return {
    ask,
    async control(method: string, path: string, json?: unknown) {
      const response = await ask(method, path, json);
      const answer = (await response.json()) as Record<string, unknown>;
      if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
      return answer;
    },
    async pay(order: Record<string, unknown> = {}, outcome?: string) {
      const body = { payment_account_id: 1, phone: "0712345678", amount: 100, ...order };
      const response = await send("/stkpush.php", body, outcome === undefined ? {} : { "X-Sandbox-Outcome": outcome });
      const answer = (await response.json()) as { checkout_request_id: string; message: string };
      if (response.status !== 200) throw new Error(`${response.status} ${answer.message}`);
      return answer.checkout_request_id;
    },
    async statusOf(checkoutRequestId: string) {
      const response = await send("/status.php", { checkout_request_id: checkoutRequestId });
      return String(((await response.json()) as { status?: unknown }).status);
    },
  };
}

/** HAProxy in front of replicas, as docs/replicas.md has it. @returns its address */
export async function balance(replicas: readonly Pick<Served, "ready">[]): Promise<string> {
  const [backend = ""] = blocksOf(readDocument("docs/replicas.md"), "haproxy");
  const hosts = replicas.map(({ ready }) => new URL(ready.base_url).host);
  const servers = ["", " no-check backup"].flatMap((options) =>
    hosts.map((host, index) => `  server momo${index}${options === "" ? "" : "-unready"} ${host}${options}\n`),
  );
  const written = backend.replaceAll(/^ {2}server .*\n/gm, "");
  const { address } = await startHaproxy(`  default_backend momo\n${written}${servers.join("")}`);
  // HAProxy considers a server up until its first check.
  await until(
    async () => (await fetch(`http://${address}/_momo/ready`, { headers: { Host: "localhost" } })).status,
    (status) => status === 200,
  );
  return `http://${address}`;
}
