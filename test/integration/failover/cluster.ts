import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startChild } from "../../support/child.ts";
import { later, newFolder } from "../../support/cleanup.ts";
import { commandOf, configure, freePort, runSql, SETTINGS, startServer, urlOf } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";

/** A PostgreSQL with a standby, behind HAProxy: what a fail-over manager would do is done here by hand. */

const VERSION = "15";
const DATABASE = "postgres";

/** A standby sends its receipts at once; a dead connection is noticed soon. */
const REPLICATING = { max_wal_senders: "10", wal_level: "replica", hot_standby: "on", wal_receiver_timeout: "5s" };

export interface Node {
  readonly name: "one" | "two";
  readonly port: number;
  readonly folder: string;
}

export interface Cluster {
  /** Leads to the primary, whichever it is. */
  readonly url: string;
  /** The primary itself. */
  readonly primaryUrl: () => string;
  /** The standby itself, which takes no writes. */
  readonly standbyUrl: () => string;
  /**
   * Ends the primary at once, promotes the standby, and leads the address there.
   * @param lagMs for so long the standby gets nothing before: only an asynchronous one is waited for by nobody
   * @returns how long nobody could write
   */
  failOver(lagMs: number): Promise<number>;
  /** Makes the old primary the new standby. */
  rebuild(): Promise<void>;
}

/** Programs of PostgreSQL run beside the load, not in its turn. */
async function run(name: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn(commandOf(VERSION, name, ...args), { cwd: "/", stdout: "ignore", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${name}: ${said}`);
}

const dataOf = ({ folder }: Node): string => join(folder, "data");

/** @param isSynchronous whether a commit waits for the standby */
export async function startCluster(isSynchronous: boolean): Promise<Cluster> {
  const folders = [newFolder(), newFolder()];
  const { port } = await startServer(VERSION, folders[0] ?? "", process.pid, REPLICATING);
  let primary: Node = { name: "one", port, folder: folders[0] ?? "" };
  let standby: Node = { name: "two", port: await freePort(), folder: folders[1] ?? "" };
  later(() => stopAll([primary, standby]));
  const address = await lead(primary, standby);
  const waitsFor = isSynchronous ? "*" : "";

  /** The primary waits for its standby only once there is one: otherwise it would answer nobody. */
  async function makeStandby(): Promise<void> {
    const data = dataOf(standby);
    rmSync(data, { recursive: true, force: true });
    const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "momo"];
    await run("pg_basebackup", "-D", data, "-X", "stream", "-c", "fast", "--no-sync", ...from);
    writeFileSync(join(data, "standby.signal"), "");
    const conninfo = `host=127.0.0.1 port=${primary.port} user=momo application_name=${standby.name}`;
    configure(data, { ...SETTINGS, ...REPLICATING, port: String(standby.port), primary_conninfo: conninfo });
    await run("pg_ctl", "-D", data, "-w", "-l", join(standby.folder, "log"), "start");
    configure(dataOf(primary), {
      ...{ ...SETTINGS, ...REPLICATING },
      ...{ port: String(primary.port), synchronous_standby_names: waitsFor },
    });
    await run("pg_ctl", "-D", dataOf(primary), "reload");
    const wanted = isSynchronous ? "sync" : "async";
    const states = () =>
      runSql<{ sync_state: string }>(urlOf(primary.port, DATABASE), "SELECT sync_state FROM pg_stat_replication");
    await until(states, (rows) => rows.some(({ sync_state }) => sync_state === wanted));
  }

  mkdirSync(standby.folder, { recursive: true });
  if (process.getuid?.() === 0) Bun.spawnSync(["chown", "65534", standby.folder]);
  await makeStandby();
  return {
    url: urlOf(address.port, DATABASE),
    primaryUrl: () => urlOf(primary.port, DATABASE),
    standbyUrl: () => urlOf(standby.port, DATABASE),
    async failOver(lagMs) {
      if (lagMs > 0) await starve(standby, lagMs);
      const startedMs = performance.now();
      await run("pg_ctl", "-D", dataOf(primary), "-m", "immediate", "-w", "stop");
      await Bun.sleep(1000); // a manager needs at least so long to be sure
      await run("pg_ctl", "-D", dataOf(standby), "-w", "promote");
      await address.switchTo(standby, primary);
      [primary, standby] = [standby, primary];
      return performance.now() - startedMs;
    },
    rebuild: makeStandby,
  };
}

/** Stops the process that receives what the primary sends. */
async function starve(node: Node, durationMs: number): Promise<void> {
  const [row] = await runSql<{ pid: number }>(urlOf(node.port, DATABASE), "SELECT pid FROM pg_stat_wal_receiver");
  if (!row) throw new Error("the standby receives nothing");
  process.kill(row.pid, "SIGSTOP");
  await Bun.sleep(durationMs);
  // It dies with what it has not read: the primary dies first.
  setTimeout(() => process.kill(row.pid, "SIGKILL"), 300);
}

async function stopAll(nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) await run("pg_ctl", "-D", dataOf(node), "-m", "immediate", "stop").catch(() => {});
}

/** HAProxy in front of both, which leads to one of them. */
async function lead(primary: Node, standby: Node) {
  const folder = newFolder();
  const admin = join(folder, "admin");
  const port = await freePort();
  const server = ({ name, port: at }: Node, more = "") => `  server ${name} 127.0.0.1:${at} ${more}`;
  const config = join(folder, "haproxy.conf");
  writeFileSync(
    config,
    `global
  stats socket ${admin} level admin
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  retries 0
listen database
  bind 127.0.0.1:${port}
${server(primary)}
${server(standby, "disabled")}
`,
  );
  const places = `${process.env.PATH ?? ""}:/usr/sbin`;
  const program = Bun.which("haproxy", { PATH: places }) ?? "haproxy";
  const child = startChild([program, "-db", "-q", "-f", config], { env: { PATH: places }, cwd: folder });
  later(async () => {
    child.signal("SIGKILL");
    await child.exited;
  });
  await until(
    () => tell(admin, "show info").catch(() => ""),
    (text) => text.includes("Version"),
  );
  return {
    port,
    async switchTo(next: Node, last: Node): Promise<void> {
      // In this order: with no server at all, HAProxy would let new connections wait.
      await tell(admin, `set server database/${next.name} state ready`);
      await tell(admin, `set server database/${last.name} state maint`);
      await tell(admin, `shutdown sessions server database/${last.name}`);
    },
  };
}

/** A word to HAProxy, and what it says. */
function tell(path: string, word: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const socket = connect(path, () => socket.write(`${word}\n`));
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("end", () => resolve(text));
  socket.on("error", reject);
  return promise;
}
