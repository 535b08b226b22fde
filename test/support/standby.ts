import { appendFileSync, closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { later, newFolder } from "./cleanup.ts";
import { configure, freePort, runProgram, runSql, SETTINGS, startOnly, startServer, urlOf } from "./postgres.ts";
import { until } from "./until.ts";

/** A primary server whose commits wait for a standby. */
export interface Pair {
  readonly url: string;
  /** The same database at the standby, for reading. */
  readonly standbyUrl: string;
  stopStandby(): void;
  startStandby(): void;
  /** What the primary has written to its log. */
  log(): Promise<string>;
}

const VERSION = "15";
const DATABASE = "momo";

/** Starts both; they end with `cleanUp`. */
export async function startPair(): Promise<Pair> {
  const folder = newFolder();
  const { port, data, stop } = await startServer(VERSION, folder);
  later(() => stop("immediate"));
  const copy = join(folder, "standby");
  const address = ["-h", "127.0.0.1", "-p", String(port), "-U", "momo"];
  runProgram(VERSION, "pg_basebackup", "-D", copy, "-X", "stream", "-c", "fast", "--no-sync", ...address);
  const standbyPort = await freePort();
  configure(copy, {
    ...SETTINGS,
    port: String(standbyPort),
    primary_conninfo: `host=127.0.0.1 port=${port} user=momo`,
  });
  closeSync(openSync(join(copy, "standby.signal"), "w"));
  const startStandby = () => startOnly(VERSION, copy);
  const stopStandby = () => runProgram(VERSION, "pg_ctl", "-D", copy, "-m", "immediate", "-w", "stop");
  startStandby();
  later(() => {
    try {
      stopStandby();
    } catch {
      // a test has stopped it
    }
  });
  const url = urlOf(port, DATABASE);
  await runSql(urlOf(port, "postgres"), `CREATE DATABASE ${DATABASE}`);
  appendFileSync(join(data, "postgresql.auto.conf"), "synchronous_standby_names = '*'\n");
  await runSql(url, "SELECT pg_reload_conf()");
  const standbyUrl = urlOf(standbyPort, DATABASE);
  // It follows a little later.
  await until(
    () => runSql(standbyUrl, "SELECT 1").catch(() => []),
    (rows) => rows.length === 1,
  );
  return {
    url,
    standbyUrl,
    stopStandby,
    startStandby,
    log: () => Bun.file(join(folder, "log")).text(),
  };
}
