import { basename } from "node:path";
import { SERVER_HEADER } from "../../sandbox/control/identity.ts";
import { quoted } from "../../sandbox/curl.ts";
import { isLoopback } from "../../sandbox/loopback.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { isHeld } from "../../src/store/sqlite/sqlite.ts";
import type { Environment } from "../environment.ts";
import { type DataDirectory, identityOf } from "../serving/data-directory.ts";
import { TEMPORARY_PREFIX } from "../serving/files.ts";
import { readCredentials, readServer, type ServerRecord } from "../serving/records.ts";
import { findServerDirectory, locateServerDirectory } from "../serving/server-directory.ts";
import { Failure, NoServer } from "../terminal/failure.ts";

/** Which server a command is for, by the flags, the environment and the data directory. */
export type Server =
  /** Whichever answers at the address that the user named. */
  | (Place & { readonly is: "at_address" })
  | OfDirectory
  /** That at the address that the user named, which the record has, too: the record tells more about it. */
  | (Recorded & { readonly is: "at_recorded_address" })
  /** That of the data directory of `--data`, but at the address of a variable, which may be that of an earlier server. */
  | (Place & { readonly is: "of_directory_elsewhere"; readonly directory: DataDirectory });

/** That of the data directory, at the address of its record. */
export type OfDirectory = Recorded & { readonly is: "of_directory" };

interface Place {
  /** The one that the user named, else that of the record. */
  readonly address: string;
  /** The variables that name the address; empty if a flag or the record does. */
  readonly variables: readonly string[];
  /** That of `--data`, of `MOMO_DATA`, or the usual one. */
  readonly directory: DataDirectory | null;
  /** What the directory said of its server when the command began. */
  readonly record: ServerRecord | null;
}

interface Recorded extends Place {
  readonly directory: DataDirectory;
  readonly record: ServerRecord;
}

/** An address that a flag or a variable names. */
export interface Named {
  readonly by: "--base-url" | "MOMO_BASE_URL" | "MOMO_CONTROL_URL";
  readonly address: string;
}

/** For an address that no directory is known for. */
export const serverAt = (address: string): Server => ({
  is: "at_address",
  address,
  variables: [],
  directory: null,
  record: null,
});

/** @throws Failure `unreachable` if only a data directory is named, and it has no record, or the copy of one */
export function findServer(flags: { readonly data?: string }, environment: Environment, named: Named | null): Server {
  if (!named) {
    const directory = locateServerDirectory(flags.data);
    const record = readOwn(directory);
    if (!record) throw new NoServer(directory.path);
    return { is: "of_directory", address: record.base_url, variables: [], directory, record };
  }
  const { address } = named;
  const isByVariable = named.by !== "--base-url";
  const variables = isByVariable ? variablesOf(environment) : [];
  // A directory that is not needed is not checked.
  const directory = isOnThisMachine(address) ? findServerDirectory(flags.data) : null;
  if (!directory) return { ...serverAt(address), variables };
  const record = readOrNull(() => readOwn(directory));
  const place = { address, variables, directory };
  if (record && [record.base_url, record.control_url].some((recorded) => isSameServer(recorded, address))) {
    const isOurs = flags.data !== undefined || (isByVariable && hasKeyOf(directory, environment));
    return { is: isOurs ? "of_directory" : "at_recorded_address", ...place, record };
  }
  if (isByVariable && flags.data !== undefined) return { is: "of_directory_elsewhere", ...place, record };
  // A process that outlives `momo exec` keeps its variables. Their address then belongs to no server, or to another one.
  if (isByVariable && !record && isTemporary(environment)) throw new NoServer(directory.path);
  return { is: "at_address", ...place, record };
}

/** The record of the server, if its address is the one that the command uses. */
export const recordOf = (server: Server): ServerRecord | null =>
  server.is === "of_directory" || server.is === "at_recorded_address" ? server.record : null;

export const isOnThisMachine = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

const variablesOf = ({ baseUrl, controlUrl }: Environment): string[] => [
  ...(baseUrl ? ["MOMO_BASE_URL"] : []),
  ...(controlUrl ? ["MOMO_CONTROL_URL"] : []),
];

/** Whether two addresses have the same port of this machine, by whatever name, or are of the same origin. */
const isSameServer = (one: string, other: string): boolean => originOf(one) === originOf(other);

const originOf = (address: string): string =>
  new URL(address).origin.replace(/\/\/(?:127\.0\.0\.1|\[::1\])(?=:|$)/, "//localhost");

/** Whether the variables were made for this directory, by `momo env` or `momo exec`. */
const hasKeyOf = (directory: DataDirectory, { apiKey }: Environment): boolean =>
  apiKey !== undefined && readOrNull(() => readCredentials(directory))?.api_key === apiKey;

/** Whether the data directory is one of `momo exec`, which removes it. */
const isTemporary = ({ data }: Environment): boolean =>
  data !== undefined && basename(data).startsWith(TEMPORARY_PREFIX);

/**
 * The record of a data directory.
 * @throws Failure `unreachable` if it was copied with the directory: it is about the server of another one
 */
function readOwn(directory: DataDirectory): ServerRecord | null {
  const record = readServer(directory);
  const original = record && originalOf(directory, record);
  if (!original) return record;
  throw new Failure(
    "unreachable",
    `no sandbox is running on ${directory.path}: its server.json is a copy, and tells of the server of ${original}`,
    "name that one with --data, or start one here with momo serve",
  );
}

/** The directory whose record was copied into this one; null if the record is its own. */
export function originalOf(directory: DataDirectory, { data, data_id }: ServerRecord): string | null {
  if (data === undefined) return null;
  const own = identityOf(directory);
  return (data_id == null ? own.data === data : own.data_id === data_id) ? null : data;
}

/** How a request makes sure that no other server answers it: the port of a server that was killed may belong to another one now. */
export interface Identity {
  /** Names the server. Any other momo refuses the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** This server must first show its id: it was killed, or runs where the lock of its directory is not seen. */
  readonly unproven: OfDirectory | null;
}

/** The record is read again for each request: a server that was started again has a new id. */
export function identify(server: Server): Identity {
  if (server.is === "at_address") return ANYBODY;
  const record = readOrNull(() => readServer(server.directory)) ?? server.record;
  if (!record) return NOBODY;
  const headers = record.id === undefined ? {} : { [SERVER_HEADER]: record.id };
  if (isUsed(server.directory)) return { headers, unproven: null };
  switch (server.is) {
    case "of_directory":
      return { headers, unproven: { ...server, record } };
    case "at_recorded_address":
      return ANYBODY;
    case "of_directory_elsewhere":
      return NOBODY;
  }
}

const ANYBODY: Identity = { headers: {}, unproven: null };

/** No server has this id. */
const NOBODY: Identity = { headers: { [SERVER_HEADER]: "none" }, unproven: null };

/** Whether a process of this machine uses the directory. */
export const isUsed = ({ lock }: DataDirectory): boolean => isHeld(lock);

/** In the place of the server of a data directory, another program answers. */
export class NotServing extends Failure {
  constructor(server: Exclude<Server, { is: "at_address" }>, origin: string, why: string) {
    const { path } = server.directory;
    const start = `start one with momo serve --data ${quoted(path)}, or name the directory of the other with --data`;
    super("unreachable", `${origin} is not the server of ${path}: ${why}`, hintOfAnother(server) ?? start);
  }
}

export function nothingAnswersAt(origin: string, server: Server): Failure {
  const names = server.variables.length === 1 ? "names" : "name";
  const cause =
    server.variables.length === 0 ? "" : `, which ${server.variables.join(" and ")} in the environment ${names}`;
  const hint = "start it with momo serve, or name another with --base-url or MOMO_BASE_URL";
  return new Failure("unreachable", `nothing answers at ${origin}${cause}`, hintOfAnother(server) ?? hint);
}

/** What to do if the server of the data directory runs, and the flag or the variables name another address. */
export function hintOfAnother({ is, variables, directory, record }: Server): string | null {
  const isElsewhere = is === "at_address" || is === "of_directory_elsewhere";
  if (!isElsewhere || !directory || !record || !isUsed(directory)) return null;
  const remedy = variables.length === 0 ? "leave out --base-url" : `unset ${variables.join(" and ")}`;
  return `the server of ${directory.path} is at ${record.base_url}: ${remedy}`;
}
