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
import { HEADERS } from "../../support/replicas.ts";
import { until } from "../../support/waiting.ts";

/** A PostgreSQL with a standby, under one address. The fail-overs, which a manager would do, are done here. */
export interface Cluster {
  /** Leads to the primary, also after a fail-over. */
  readonly url: string;
  readonly primaryUrl: () => string;
  /** Makes the node that is not the primary its standby. */
  rebuild(isSynchronous: boolean): Promise<void>;
  /**
   * Ends the primary at once, promotes the standby, and directs the address to it.
   * @param lagMs how long the standby receives nothing before that: only with a synchronous standby, commits wait for it
   * @param detectMs how long a manager takes to be sure that the primary has ended
   * @param comesBack whether it is back at once, as a primary without a standby, and keeps the sessions that it gets
   * @returns how long no write was possible
   */
  failOver(lagMs: number, detectMs: number, comesBack: boolean): Promise<number>;
  readonly close: () => void;
}

export async function startCluster(): Promise<Cluster> {
  let { primary, standby } = await startPrimary();
  const forwarder = await startForwarder(primary.port);
  return {
    url: urlOf(forwarder.port, "postgres"),
    primaryUrl: () => urlAt(primary),
    async rebuild(isSynchronous: boolean): Promise<void> {
      await stopNode(standby).catch(() => {}); // it runs if it came back
      await makeStandby(primary, standby, isSynchronous);
    },
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
  const standby: Node = { name: "two", port: freePort(), folder: newFolder() };
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

/** Clients that start payments one after another, each with its own reference. */

export interface Answered {
  readonly reference: string;
  readonly transactionId: number;
}

export interface Load {
  readonly answered: readonly Answered[];
  /** Requests that failed: their payment may be stored or not. */
  readonly unanswered: number;
  /** Payments that were answered, and not found afterwards. */
  readonly notFound: number;
  /** Why requests failed. */
  readonly reasons: ReadonlySet<string>;
  /** The longest time between two answers since the last reading. */
  takeSilenceMs(): number;
  /** Resolves at the next answer. */
  untilAnswered(): Promise<void>;
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 15_000;
/** How long a client waits after a failure, so that it does not fill the log. */
const FAILURE_PAUSE_MS = 20;

/** @param pauseMs how long a client waits after each answer */
export function startLoad(origin: string, { clients, pauseMs }: { clients: number; pauseMs: number }): Load {
  const run = crypto.randomUUID().slice(0, 8);
  const answered: Answered[] = [];
  const reasons = new Set<string>();
  let [unanswered, notFound, isStopped] = [0, 0, false];
  let [lastMs, silenceMs] = [performance.now(), 0];

  function noteAnswer(): void {
    const nowMs = performance.now();
    silenceMs = Math.max(silenceMs, nowMs - lastMs);
    lastMs = nowMs;
  }

  const send = (path: string, body: object) =>
    fetch(`${origin}/v2/${path}`, {
      method: "POST",
      headers: { ...HEADERS, "X-Sandbox-Outcome": "completed; after=1s" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });

  async function pay(reference: string): Promise<void> {
    const response = await send("stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 100, reference });
    if (response.status !== 200) throw new Error(`${response.status} ${(await response.text()).slice(0, 90)}`);
    const answer = (await response.json()) as { transaction_id: number; checkout_request_id: string };
    noteAnswer();
    answered.push({ reference, transactionId: answer.transaction_id });
    const found = await send("status.php", { checkout_request_id: answer.checkout_request_id });
    const text = await found.text();
    if (found.status === 404) notFound += 1;
    else if (found.status !== 200) throw new Error(`status: ${found.status} ${text.slice(0, 60)}`);
  }

  async function client(name: number): Promise<void> {
    for (let count = 0; !isStopped; count += 1) {
      try {
        await pay(`${run}-${name}-${count}`);
        if (pauseMs > 0) await Bun.sleep(pauseMs);
      } catch (error) {
        unanswered += 1;
        reasons.add((error as Error).message.slice(0, 100));
        await Bun.sleep(FAILURE_PAUSE_MS);
      }
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
  return {
    answered,
    reasons,
    get unanswered() {
      return unanswered;
    },
    get notFound() {
      return notFound;
    },
    async untilAnswered() {
      const before = answered.length;
      await until(
        async () => answered.length,
        (count) => count > before,
      );
    },
    takeSilenceMs() {
      noteAnswer();
      const longest = silenceMs;
      silenceMs = 0;
      return longest;
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
