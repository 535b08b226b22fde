import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { later, newFolder } from "./cleanup.ts";
import { commandOf, configure, freePort, giveToNobody, runSql, SETTINGS, startServer, urlOf } from "./postgres.ts";
import { until } from "./waiting.ts";

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
