import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../scripts/build.ts";
import { firstLine, run, start, stop } from "./processes.ts";

export const ROOT = join(import.meta.dir, "../..");

/** momo and both limits, compiled with the same flags. */
export interface Programs {
  readonly momo: string;
  readonly limit: string;
  readonly plain: string;
}

/** Always compiles all: an existing binary may be old. */
export async function buildPrograms(folder: string): Promise<Programs> {
  mkdirSync(folder, { recursive: true });
  const programs = { momo: join(folder, "momo"), limit: join(folder, "limit"), plain: join(folder, "plain") };
  // The executable contains the console's page, which a fresh clone does not have yet.
  await run([process.execPath, "scripts/build-console.mjs"], ROOT);
  await compile("cli/main.ts", programs.momo);
  await compile("bench/limit.ts", programs.limit);
  await compile("bench/plain-limit.ts", programs.plain);
  return programs;
}

/** A server that is measured. */
export interface Running {
  readonly pid: number;
  /** The address, without `/stkpush.php`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export interface RunningMomo extends Running {
  readonly controlUrl: string;
  readonly accountId: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The database in a data directory of momo. */
export const databaseIn = (folder: string): string => join(folder, "momo.db");

/** Starts `momo serve` with a data directory and the default durability. */
export async function startMomo({ momo }: Programs, folder: string, flags: readonly string[] = []) {
  const command = [momo, "serve", "--json", "--port", "0", "--data", folder, ...flags];
  const child = start(command, { cwd: "/" });
  const ready = JSON.parse(await firstLine(child.stdout));
  const server: RunningMomo = {
    pid: child.pid,
    url: ready.base_url,
    controlUrl: ready.control_url,
    accountId: ready.payment_account_id,
    headers: {
      "X-API-Key": ready.api_key,
      "X-API-Secret": ready.api_secret,
      "Content-Type": "application/json",
    },
    stop: () => stop(child),
  };
  return server;
}

/** Starts a limit with a database file. @param program the executable */
export async function startLimit(program: string, file: string): Promise<Running> {
  const child = start([program, file], { cwd: "/" });
  const ready = JSON.parse(await firstLine(child.stdout));
  return { pid: child.pid, url: ready.base_url, stop: () => stop(child) };
}

export async function control(momo: RunningMomo, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(momo.controlUrl + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${answer.message}`);
  return answer;
}

export async function pay(momo: RunningMomo, outcome?: string): Promise<string> {
  const response = await fetch(`${momo.url}/stkpush.php`, {
    method: "POST",
    headers: { ...momo.headers, ...(outcome !== undefined && { "X-Sandbox-Outcome": outcome }) },
    body: JSON.stringify({ payment_account_id: momo.accountId, phone: "0712345678", amount: 100, reference: "PROBE" }),
  });
  const answer = (await response.json()) as { checkout_request_id?: string; message: string };
  if (answer.checkout_request_id === undefined) throw new Error(answer.message);
  return answer.checkout_request_id;
}
