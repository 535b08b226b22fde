import { describe } from "bun:test";
import { createClient } from "./client.ts";
import { blocksOf, readDocument } from "./documents.ts";
import { addressOf, type RunOptions, type Served, serveMomo } from "./momo.ts";
import { describePostgres, newDatabase, sharedServer } from "./postgres.ts";
import { startHaproxy } from "./proxies.ts";
import { until } from "./waiting.ts";

/** Several real `momo serve` on one real PostgreSQL. */

/** The version that the tests of replicas use; the store has its tests on each. */
export const VERSION = "15";

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
  // The record of a replica that did not make the key has no secret.
  return { ...served, ...createClient({ ...addressOf(served.ready), headers: HEADERS }), name };
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
    async () => (await fetch(`http://${address}/_momo/ready`, { headers: { Host: "localhost" } })).status === 200,
  );
  return `http://${address}`;
}
