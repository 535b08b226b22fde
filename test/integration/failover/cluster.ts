import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startChild } from "../../support/child.ts";
import { later, newFolder } from "../../support/cleanup.ts";
import { freePort, runSql, urlOf } from "../../support/postgres.ts";
import { makeStandby, type Node, promote, startNode, startPrimary, stopNode, urlAt } from "../../support/standby.ts";
import { until } from "../../support/waiting.ts";

/** A PostgreSQL with a standby, behind HAProxy. The fail-overs, which a manager would do, are done here. */
export interface Cluster {
  /** Leads to the primary, also after a fail-over. */
  readonly url: string;
  primaryUrl(): string;
  /** Makes the node that is not the primary its standby. */
  rebuild(isSynchronous: boolean): Promise<void>;
  /**
   * Ends the primary at once, promotes the standby, and directs the address to it.
   * @param lagMs how long the standby receives nothing before that: only with a synchronous standby, commits wait for it
   * @param detectMs how long a manager takes to be sure that the primary has ended
   * @param comesBack whether it is back at once, as a primary without a standby, and keeps the sessions that it gets
   * @returns how long no write was possible
   */
  failOver(lagMs: number, detectMs: number, comesBack?: boolean): Promise<number>;
}

export async function startCluster(): Promise<Cluster> {
  let { primary, standby } = await startPrimary();
  const address = await startProxy(primary, standby);
  return {
    url: urlOf(address.port, "postgres"),
    primaryUrl: () => urlAt(primary),
    async rebuild(isSynchronous) {
      await stopNode(standby).catch(() => {}); // it runs if it came back
      await makeStandby(primary, standby, isSynchronous);
    },
    async failOver(lagMs, detectMs, comesBack = false) {
      if (lagMs > 0) await starve(standby, lagMs);
      const startedMs = performance.now();
      await stopNode(primary);
      if (comesBack) await startNode(primary);
      await Bun.sleep(detectMs);
      await promote(standby);
      await address.switchTo(standby, primary, !comesBack);
      [primary, standby] = [standby, primary];
      return performance.now() - startedMs;
    },
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

/** HAProxy in front of both nodes, which directs clients to one of them. */
async function startProxy(primary: Node, standby: Node) {
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
    async switchTo(next: Node, last: Node, endsSessions: boolean): Promise<void> {
      // In this order, because without any server HAProxy would let new connections wait.
      await tell(admin, `set server database/${next.name} state ready`);
      await tell(admin, `set server database/${last.name} state maint`);
      if (endsSessions) await tell(admin, `shutdown sessions server database/${last.name}`);
    },
  };
}

/** Sends a command to HAProxy. @returns its answer */
function tell(path: string, command: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const socket = connect(path, () => socket.write(`${command}\n`));
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("end", () => resolve(text));
  socket.on("error", reject);
  return promise;
}
