import { writeFileSync } from "node:fs";
import { run } from "../../scripts/release/run.ts";
import { ROOT, type RunningMomo } from "./servers.ts";

/** What clients send: the load that is measured, and single requests around it. */

export interface Round {
  readonly requests: number;
  readonly perSecond: number;
}

/** The server. The limit and the peers ignore the credentials. */
interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly accountId?: number;
}

const CONNECTIONS = 64;

/** After this time without an answer a server is broken. */
const LONGEST_SECONDS = 60;

/** Starts payments over 64 connections for some seconds. */
export function payments(target: Target, seconds: number): Promise<Round> {
  return wrk("payments", `${target.url}/stkpush.php`, target, seconds, String(target.accountId ?? 1));
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
  const text = await run(["wrk", ...flags.split(" "), ...given, url, "--", load, parameter], { cwd: ROOT });
  const [, result = "{}"] = /^RESULT (.*)$/m.exec(text) ?? [];
  const { requests, durationUs, failed } = JSON.parse(result);
  // On a busy disk no answer may come in a short time.
  if (failed === 0 && requests === 0 && seconds < LONGEST_SECONDS)
    return wrk(load, url, target, seconds * 4, parameter);
  // A server that refuses would look fast.
  if (failed !== 0 || !(requests > 0)) throw new Error(`${failed} of ${requests} requests to ${url} failed`);
  return { requests, perSecond: (requests / durationUs) * 1e6 };
}

/** Starts payments, and writes their checkout request ids into a file, one a line. */
export async function startedIds(target: Target, count: number, file: string): Promise<void> {
  const ids: string[] = [];
  const client = async (first: number) => {
    for (let n = first; n < count; n += CONNECTIONS) {
      const phone = `07${String((n * 61803399) % 100_000_000).padStart(8, "0")}`;
      ids.push(await start(target, { phone, reference: `ORDER-${n}` }));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, turn) => client(turn)));
  writeFileSync(file, ids.join("\n"));
}

/** Starts one payment. */
export const pay = (momo: RunningMomo): Promise<string> => start(momo, { phone: "0712345678", reference: "PROBE" });

/** @returns the checkout request id */
async function start({ url, headers, accountId = 1 }: Target, order: object) {
  const { checkout_request_id, message } = await answerOf<{ checkout_request_id?: string; message?: string }>(
    `${url}/stkpush.php`,
    { headers: { ...headers }, body: { payment_account_id: accountId, amount: 100, ...order } },
  );
  if (checkout_request_id === undefined) throw new Error(message);
  return checkout_request_id;
}

/** Sends a request to the control API. */
export const control = (momo: RunningMomo, path: string, body: object) =>
  answerOf<Record<string, unknown>>(momo.controlUrl + path, { body });

/** How many payments a list finds. */
export async function countAt(momo: RunningMomo, filter: string): Promise<number> {
  return (await listed(momo, `limit=1${filter}`)).pagination.total_items;
}

/** One page of the list, and how long it took. */
export async function list(momo: RunningMomo, query: string): Promise<{ ms: number; totalPages: number }> {
  const startedMs = performance.now();
  const { pagination } = await listed(momo, query);
  return { ms: performance.now() - startedMs, totalPages: pagination.total_pages };
}

const listed = ({ url, headers }: RunningMomo, query: string) =>
  answerOf<{ pagination: { total_items: number; total_pages: number } }>(`${url}/transactions.php?${query}`, {
    headers,
  });

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

async function answerOf<T>(url: string, { headers, body }: Sent): Promise<T> {
  const response = await fetch(url, {
    headers: { "Content-Type": "application/json", ...headers },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${(answer as { message?: string }).message}`);
  return answer as T;
}
