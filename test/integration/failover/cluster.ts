import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { later, newFolder } from "../../support/cleanup.ts";
import { startForwarder } from "../../support/connection.ts";
import {
  commandOf,
  configure,
  freePort,
  giveToNobody,
  runSql,
  SETTINGS,
  startServer,
  urlOf,
} from "../../support/postgres.ts";
import { until } from "../../support/waiting.ts";

/** A PostgreSQL with a standby, under one address. The fail-overs, which a manager would do, are done here. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster() {
  let { primary, standby } = await startPrimary();
  const forwarder = await startForwarder(primary.port);
  return {
    /** Leads to the primary, also after a fail-over. */
    url: urlOf(forwarder.port, "postgres"),
    primaryUrl: () => urlAt(primary),
    /** Makes the node that is not the primary its standby. */
    async rebuild(isSynchronous: boolean): Promise<void> {
      await stopNode(standby).catch(() => {}); // it runs if it came back
      await makeStandby(primary, standby, isSynchronous);
    },
    /**
     * Ends the primary at once, promotes the standby, and directs the address to it.
     * @param lagMs how long the standby receives nothing before that: only with a synchronous standby, commits wait for it
     * @param detectMs how long a manager takes to be sure that the primary has ended
     * @param comesBack whether it is back at once, as a primary without a standby, and keeps the sessions that it gets
     * @returns how long no write was possible
     */
    async failOver(lagMs: number, detectMs: number, comesBack: boolean): Promise<number> {
      if (lagMs > 0) await starve(standby, lagMs);
      const startedMs = performance.now();
      await stopNode(primary);
      if (comesBack) await startNode(primary);
      await Bun.sleep(detectMs);
      await promote(standby);
      forwarder.redirect(standby.port);
      [primary, standby] = [standby, primary];
      return performance.now() - startedMs;
    },
    close: () => forwarder.close(),
  };
}

/** Stops the process that receives what the primary sends. */
async function starve(node: Node, durationMs: number): Promise<void> {
  const [row] = await runSql<{ pid: number }>(urlAt(node), "SELECT pid FROM pg_stat_wal_receiver");
  if (!row) throw new Error("the standby receives nothing");
  process.kill(row.pid, "SIGSTOP");
  await Bun.sleep(durationMs);
  // The primary ends first, so what this process has not read is lost.
  setTimeout(() => process.kill(row.pid, "SIGKILL"), 300);
}

/** A primary PostgreSQL and its standby. */

const VERSION = "15";

export interface Node {
  readonly name: "one" | "two";
  readonly port: number;
  readonly folder: string;
}

const dataOf = ({ folder }: Node): string => join(folder, "data");
export const urlAt = ({ port }: Node): string => urlOf(port, "postgres");

/** Runs a program of PostgreSQL to its end; the test goes on meanwhile. */
async function run(name: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn(commandOf(name, ...args), { cwd: "/", stdout: "ignore", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${name}: ${said}`);
}

export const startNode = (node: Node): Promise<void> =>
  run("pg_ctl", "-D", dataOf(node), "-w", "-l", join(node.folder, "log"), "start");
/** Ends it at once, as a crash would. */
export const stopNode = (node: Node): Promise<void> =>
  run("pg_ctl", "-D", dataOf(node), "-m", "immediate", "-w", "stop");
export const promote = (node: Node): Promise<void> => run("pg_ctl", "-D", dataOf(node), "-w", "promote");

/** Starts a primary; its standby is only made by {@link makeStandby}. Both end with `cleanUp`. */
export async function startPrimary(): Promise<{ primary: Node; standby: Node }> {
  const folder = newFolder();
  const { port } = await startServer(VERSION, folder);
  const primary: Node = { name: "one", port, folder };
  const standby: Node = { name: "two", port: await freePort(), folder: newFolder() };
  giveToNobody(standby.folder);
  later(() => Promise.all([primary, standby].map((node) => stopNode(node).catch(() => {}))));
  return { primary, standby };
}

/** @param isSynchronous whether a commit of the primary waits for the standby */
export async function makeStandby(primary: Node, standby: Node, isSynchronous: boolean): Promise<void> {
  const data = dataOf(standby);
  rmSync(data, { recursive: true, force: true });
  const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "momo"];
  await run("pg_basebackup", "-D", data, "-X", "stream", "-c", "fast", "--no-sync", ...from);
  writeFileSync(join(data, "standby.signal"), "");
  const conninfo = `host=127.0.0.1 port=${primary.port} user=momo application_name=${standby.name}`;
  configure(data, { ...SETTINGS, port: String(standby.port), primary_conninfo: conninfo, wal_receiver_timeout: "5s" });
  await startNode(standby);
  // Not earlier: while there is no standby to wait for, the primary would answer no write.
  const waitsFor = isSynchronous ? "*" : "";
  configure(dataOf(primary), { ...SETTINGS, port: String(primary.port), synchronous_standby_names: waitsFor });
  await run("pg_ctl", "-D", dataOf(primary), "reload");
  await until(
    () => runSql<{ sync_state: string }>(urlAt(primary), "SELECT sync_state FROM pg_stat_replication"),
    (rows) => rows.some(({ sync_state }) => sync_state === (isSynchronous ? "sync" : "async")),
  );
}
