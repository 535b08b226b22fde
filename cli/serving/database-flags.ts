import { hostname } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../src/domain/duration.ts";
import { momoEnvironment } from "../environment.ts";
import { Failure } from "../terminal/failure.ts";
import { SHARING } from "../terminal/help.ts";
import { withOptions } from "../terminal/options.ts";
import { tell } from "../terminal/output.ts";
import { misuse } from "../terminal/usage.ts";
import type { DatabaseConfig } from "./engine.ts";
import { readSecretFile } from "./files.ts";

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
  new Option("--database-password-file <file>", "holds its password (default: $PGPASSWORD)"),
];

export function addSharingOptions(command: Command): Command {
  return withOptions(command.optionsGroup(SHARING), ...databaseOptions())
    .option("--database-connections <number>", `at most (default: ${CONNECTIONS})`, readConnections)
    .option("--commit-deadline <duration>", "how long a write is tried (default: 10s)", readDeadline)
    .option("--drain <duration>", "serves on before a stop (default: 5s, without --database 0s)", readDrain)
    .option("--replica <name>", "the name of this server", readReplica)
    .option("--require-replica", "refuse a database that a fail-over can set back")
    .option("--allow-reset", "momo reset may forget the payments of all servers");
}

const FORM = "must look like postgres://USER@HOST:PORT/NAME";

/** Has its own message, because commander's shows the value, and so the password. */
function readDatabase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || text.length > 2000) throw misuse(`--database ${FORM}`);
  return text;
}

function readConnections(text: string): number {
  if (!/^[0-9]{1,3}$/.test(text) || Number(text) < 2 || Number(text) > 100) {
    throw new InvalidArgumentError("It must be a whole number from 2 to 100");
  }
  return Number(text);
}

const readDrain = (text: string): number => readSeconds(text, 0);
const readDeadline = (text: string): number => readSeconds(text, 1);

function readSeconds(text: string, least: number): number {
  let durationMs: number;
  try {
    durationMs = parseDuration(text, "It");
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  if (durationMs < least * 1000 || durationMs > 60_000) {
    throw new InvalidArgumentError(`It must be from ${least}s to 60s`);
  }
  return durationMs;
}

function readReplica(text: string): string {
  if (!REPLICA.test(text)) throw new InvalidArgumentError("It must be 1 to 40 letters, digits, -, _ and .");
  return text;
}

const REPLICA = /^[A-Za-z0-9_.-]{1,40}$/;

/** The named database and its password; null if none is named. */
export function namedDatabase(flags: DatabaseFlags): { url: string; password: string | null } | null {
  const { database, databasePassword } = momoEnvironment();
  const url = flags.database ?? database;
  if (url === undefined) {
    if (flags.databasePasswordFile !== undefined) throw onlyWithDatabase("--database-password-file");
    return null;
  }
  try {
    readDatabase(url);
  } catch {
    throw new Failure("usage", `MOMO_DATABASE ${FORM}`);
  }
  const isInUrl = new URL(url).password !== "";
  if (isInUrl && flags.database !== undefined && isArgument(url)) {
    tell(
      "momo: the list of processes shows the password in --database: use MOMO_DATABASE, PGPASSWORD or --database-password-file",
    );
  }
  if (flags.databasePasswordFile !== undefined) return { url, password: passwordOf(flags.databasePasswordFile) };
  return { url, password: isInUrl ? null : (databasePassword ?? null) };
}

/** For a command that works on a data directory or a shared database: `--data` comes before `MOMO_DATABASE`. */
export const databaseUnlessData = (flags: DatabaseFlags & { readonly data?: string }) =>
  flags.data !== undefined && flags.database === undefined ? null : namedDatabase(flags);

/** An option can also come from a variable, which other users cannot read. */
const isArgument = (url: string): boolean => process.argv.some((word) => word.includes(url));

function passwordOf(file: string): string {
  const text = readSecretFile("--database-password-file", file, "password").replace(/\r?\n$/, "");
  if (/^[^\n]{1,1000}$/.test(text)) return text;
  throw new Failure("usage", "--database-password-file must hold one line of 1 to 1000 characters");
}

/**
 * The database of a server; null for the file in its data directory.
 * @throws Failure `usage` for an option that has a meaning only with a database
 */
export function sharedDatabase(flags: SharingFlags): DatabaseConfig | null {
  const named = namedDatabase(flags);
  const { databaseConnections, commitDeadline, replica, requireReplica, allowReset } = flags;
  if (!named) {
    const options = {
      "--database-connections": databaseConnections,
      "--commit-deadline": commitDeadline,
      "--replica": replica,
      "--require-replica": requireReplica,
      "--allow-reset": allowReset,
    };
    for (const [name, value] of Object.entries(options)) if (value !== undefined) throw onlyWithDatabase(name);
    return null;
  }
  return {
    ...named,
    connections: databaseConnections ?? CONNECTIONS,
    commitDeadlineMs: commitDeadline ?? COMMIT_DEADLINE_MS,
    requireReplica: requireReplica === true,
    replica: { name: replica ?? defaultReplica(), allowsReset: allowReset === true },
  };
}

/** How long a server goes on when it should stop. It tells load balancers, and alone it has none. */
export const drainOf = ({ drain }: SharingFlags, database: DatabaseConfig | null): number =>
  drain ?? (database ? DRAIN_MS : 0);

/** A container has its own host name; several servers on one host differ in their process id. */
function defaultReplica(): string {
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9_.-]/g, "-")
    .slice(0, 30);
  return `${host || "momo"}-${process.pid}`;
}

const onlyWithDatabase = (name: string) =>
  new Failure("usage", `${name} has a meaning only with --database`, "name the database, or leave it out");
