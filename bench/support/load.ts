import { writeFileSync } from "node:fs";
import { run } from "./processes.ts";
import { ROOT } from "./servers.ts";

export interface Round {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** What a client sends. The bare limit and the peers ignore the credentials. */
export interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly accountId?: number;
}

const CONNECTIONS = 64;

/** Both servers warm up at the same time. The first 15,000 payments cost momo a third more: it has more code to compile. */
export const WARM_UP_SECONDS = 4;

/** Starts payments over 64 connections for some seconds. */
export function payments(target: Target, seconds: number): Promise<Round> {
  return wrk("payments", `${target.url}/stkpush.php`, target, seconds, String(target.accountId ?? 1));
}

/** Starts payments, and writes their checkout request ids into a file, one a line. */
export async function startedIds({ url, headers, accountId = 1 }: Target, count: number, file: string): Promise<void> {
  const ids: string[] = [];
  const client = async (first: number) => {
    for (let n = first; n < count; n += CONNECTIONS) {
      const phone = `07${String((n * 61803399) % 100_000_000).padStart(8, "0")}`;
      const body = JSON.stringify({ payment_account_id: accountId, phone, amount: 100, reference: `ORDER-${n}` });
      const response = await fetch(`${url}/stkpush.php`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body,
      });
      ids.push(((await response.json()) as { checkout_request_id: string }).checkout_request_id);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, turn) => client(turn)));
  writeFileSync(file, ids.join("\n"));
}

/** Checks the status of the payments whose ids are in a file, one a line. */
export function statusChecks(target: Target, seconds: number, idsFile: string): Promise<Round> {
  return wrk("statuses", `${target.url}/status.php`, target, seconds, idsFile);
}

async function wrk(
  load: "payments" | "statuses",
  url: string,
  target: Target,
  seconds: number,
  parameter: string,
): Promise<Round> {
  const headers = { "Content-Type": "application/json", ...target.headers };
  const flags = `--threads 1 --connections ${CONNECTIONS} --duration ${seconds}s --timeout 10s --script bench/support/load.lua`;
  const given = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
  const text = await run(["wrk", ...flags.split(" "), ...given, url, "--", load, parameter], ROOT);
  const [, result = "{}"] = /^RESULT (.*)$/m.exec(text) ?? [];
  const { requests, durationUs, p99Us, failed } = JSON.parse(result);
  // A server that refuses would look fast.
  if (failed !== 0 || !(requests > 0)) throw new Error(`${failed} of ${requests} requests to ${url} failed`);
  return { requests, perSecond: (requests / durationUs) * 1e6, p99Ms: p99Us / 1000 };
}
