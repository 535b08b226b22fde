import { startForwarder } from "../../support/forwarder.ts";
import { runSql, urlOf } from "../../support/postgres.ts";
import { makeStandby, type Node, promote, startNode, startPrimary, stopNode, urlAt } from "../../support/standby.ts";

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
