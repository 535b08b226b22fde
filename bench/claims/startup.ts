import { join } from "node:path";
import { run } from "../../scripts/release/run.ts";
import { residentMb } from "../support/machine.ts";
import { type Claim, type Running, startAll, startLimit, startMomo } from "../support/servers.ts";
import { alternate, compare, timed } from "../support/table.ts";

/** The time from the start of a process to its first answer, and the time of `--version`. */
export const startup: Claim = async (bench) => {
  const { limit, momo } = bench.programs;
  const version = (program: string) => timed(() => run([program, "--version"]));
  const versions = await alternate(2 * bench.starts, { limit, momo }, version);
  let count = 0;
  const place = () => join(bench.folder, `empty-${++count}`);
  const contenders = {
    limit: () => firstAnswer(startLimit(bench, place()), ({ url }) => url),
    momo: () => firstAnswer(startMomo(bench, place()), ({ controlUrl }) => `${controlUrl}/health`),
  };
  const readiness = await alternate(bench.starts, contenders, (start) => start());
  return [compare("momo --version", "ms", versions, "≤ 12 ms"), compare("ready after spawn", "ms", readiness, "≤ 2.0")];
};

async function firstAnswer<S extends Running>(starting: Promise<S>, urlOf: (server: S) => string): Promise<number> {
  const startedMs = performance.now();
  const server = await starting;
  const response = await fetch(urlOf(server));
  await response.text();
  const readyMs = performance.now() - startedMs;
  if (!response.ok) throw new Error(`not ready: ${response.status}`);
  await server.stop();
  return readyMs;
}

const QUIET_MS = 1500;

/** The memory of a server that nobody uses. */
export const memory: Claim = async (bench) => {
  const { servers, stop } = await startAll(bench, "idle");
  await Bun.sleep(QUIET_MS);
  const { limit, momo } = servers;
  const megabytes = { momo: [residentMb(momo.pid)], limit: [residentMb(limit.pid)] };
  await stop();
  return [compare("memory, idle", "MB", megabytes, "≤ 1.4")];
};
