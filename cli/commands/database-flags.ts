import { hostname } from "node:os";
import { type Command, Option } from "commander";
import { readSecretFile } from "../files/secret-file.ts";
import type { Io } from "../io.ts";
import type { DatabaseConfig, NamedDatabase } from "../serving/engine.ts";
import { Failure } from "../terminal/failure.ts";
import { SHARING } from "../terminal/help.ts";
import { must, number, readDuration, readPath, withOptions } from "../terminal/options.ts";
import { misuse } from "../terminal/usage.ts";

/** The options that name a database which several servers share. Neither its password nor the user of its URL is ever shown. */

/** Of every command that can use one. */
export interface DatabaseFlags {
  readonly database?: string;
  readonly databasePasswordFile?: string;
}

export interface SharingFlags extends DatabaseFlags {
  readonly databaseConnections?: number;
  readonly commitDeadline?: number;
  readonly drain?: number;
  readonly replica?: string;
  readonly requireReplica?: true;
  readonly allowReset?: true;
}

/** The defaults for a shared database. */
const CONNECTIONS = 8;
const COMMIT_DEADLINE_MS = 10_000;
/** Longer than the pause between two checks of a load balancer. */
const DRAIN_MS = 5000;

export const databaseOptions = () => [
  new Option("--database <url>", "postgres://USER@HOST:PORT/NAME (default: $MOMO_DATABASE)").argParser(readDatabase),
  new Option("--database-password-file <file>", "holds its password (default: $PGPASSWORD)").argParser(readPath),
];

export function addSharingOptions(command: Command): Command {
  return withOptions(command.optionsGroup(SHARING), ...databaseOptions())
    .option("--database-connections <number>", `at most (default: ${CONNECTIONS})`, readConnections)
    .option("--commit-deadline <duration>", "how long a write is tried (default: 10s)", seconds(1))
    .option("--drain <duration>", "serves on before a stop (default: 5s, without --database 0s)", seconds(0))
    .option("--replica <name>", "the name of this server", readReplica)
    .option("--require-replica", "refuse a database that a fail-over can set back")
    .option("--allow-reset", "momo reset may forget the payments of all servers");
}

const FORM = "must look like postgres://USER@HOST:PORT/NAME";

/** Has its own message, because commander's shows the value, and so the password. */
function readDatabase(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || text.length > 2000) throw misuse(`--database ${FORM}`);
  return text;
}

const readConnections = number("a whole number from 2 to 100", /^(?:[2-9]|[1-9][0-9]|100)$/);

const seconds = (least: number) => (text: string) => {
  const durationMs = readDuration(text);
  must(`be from ${least}s to 60s`, () => durationMs >= least * 1000 && durationMs <= 60_000)(text);
  return durationMs;
};

const readReplica = must("be 1 to 40 letters, digits, -, _ and .", (text) => /^[A-Za-z0-9_.-]{1,40}$/.test(text));

/** The named database and its password; null if none is named. */
export function namedDatabase(io: Io, flags: DatabaseFlags): NamedDatabase | null {
  const { database, databasePassword } = io.environment.momo();
  const url = flags.database ?? database;
  if (url === undefined) {
    if (flags.databasePasswordFile !== undefined) throw onlyWithDatabase(io, "--database-password-file");
    return null;
  }
  try {
    readDatabase(url);
  } catch {
    throw new Failure("usage", `MOMO_DATABASE ${FORM}`);
  }
  const isInUrl = new URL(url).password !== "";
  // An option can also come from a variable, which other users cannot read.
  if (isInUrl && flags.database !== undefined && io.words.some((word) => word.includes(url))) {
    io.tell(
      "momo: the list of processes shows the password in --database: use MOMO_DATABASE, PGPASSWORD or --database-password-file",
    );
  }
  if (flags.databasePasswordFile !== undefined) return { url, password: passwordOf(io, flags.databasePasswordFile) };
  return { url, password: isInUrl ? null : (databasePassword ?? null) };
}

/**
 * For every command that works on a data directory or a shared database: `--data` comes before `MOMO_DATABASE`. An option that has a
 * meaning only with a database says that the database is meant.
 */
export function databaseUnlessData(io: Io, flags: SharingFlags & { readonly data?: string }) {
  const isMeant = Object.keys(FOR_SHARED).some((member) => flags[member as keyof typeof FOR_SHARED] !== undefined);
  return flags.data !== undefined && flags.database === undefined && !isMeant ? null : namedDatabase(io, flags);
}

function passwordOf(io: Io, file: string): string {
  const option = io.optionName("--database-password-file");
  const text = readSecretFile(io, option, file, "password").replace(/\r?\n$/, "");
  if (/^[^\n]{1,1000}$/.test(text)) return text;
  throw new Failure("usage", `${option} must hold one line of 1 to 1000 characters`);
}

/**
 * The database of a server; null for the file in its data directory.
 * @throws Failure `usage` for an option that has a meaning only with a database
 */
export function sharedDatabase(io: Io, flags: SharingFlags & { readonly data?: string }): DatabaseConfig | null {
  const named = databaseUnlessData(io, flags);
  if (!named) {
    for (const [member, option] of Object.entries(FOR_SHARED)) {
      if (flags[member as keyof typeof FOR_SHARED] !== undefined) throw onlyWithDatabase(io, option);
    }
    return null;
  }
  return {
    ...named,
    connections: flags.databaseConnections ?? CONNECTIONS,
    commitDeadlineMs: flags.commitDeadline ?? COMMIT_DEADLINE_MS,
    requireReplica: flags.requireReplica === true,
    replica: { name: flags.replica ?? defaultReplica(), allowsReset: flags.allowReset === true },
  };
}

const FOR_SHARED = {
  databasePasswordFile: "--database-password-file",
  databaseConnections: "--database-connections",
  commitDeadline: "--commit-deadline",
  replica: "--replica",
  requireReplica: "--require-replica",
  allowReset: "--allow-reset",
} as const;

/** How long a server goes on after it was told to stop, so that load balancers notice; alone it stops at once. */
export const drainOf = ({ drain }: SharingFlags, database: DatabaseConfig | null): number =>
  drain ?? (database ? DRAIN_MS : 0);

/** A container has its own host name; several servers on one host differ in their process id. */
function defaultReplica(): string {
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9_.-]/g, "-")
    .slice(0, 30);
  return `${host || "momo"}-${process.pid}`;
}

const onlyWithDatabase = ({ optionName }: Io, name: string) =>
  new Failure("usage", `${optionName(name)} has a meaning only with --database`, "name the database, or leave it out");
