import { basename } from "node:path";
import { SERVER_HEADER } from "../../sandbox/control/identity.ts";
import { quoted } from "../../sandbox/curl.ts";
import { isLoopback } from "../../sandbox/loopback.ts";
import type { Handler } from "../../src/http/request.ts";
import { isHeld } from "../../src/store/sqlite/sqlite.ts";
import type { Environment } from "../environment.ts";
import { type DataDirectory, identityOf } from "../serving/data-directory.ts";
import { readOrNull, TEMPORARY_PREFIX } from "../serving/files.ts";
import {
  findServerDirectory,
  locateServerDirectory,
  readCredentials,
  readServer,
  type ServerRecord,
} from "../serving/records.ts";
import { Failure, NoServer } from "../terminal/failure.ts";

/** How a command found its server. */
export interface Found {
  /** The flag or the variables that named the address; null if the data directory did. */
  readonly by: string | null;
  /** The record of the data directory, if the address is that of its server. */
  readonly own: ServerRecord | null;
  /** Null if the address alone says which server is meant. */
  readonly meant: Meant | null;
  /** Says where the server of the data directory runs, if the address is not its own. */
  readonly otherServer: () => string | null;
  /** Answers the requests in this process. */
  readonly handler?: Handler;
}

/** For an address that no directory is known for. */
export const BY_ADDRESS: Found = { by: null, own: null, meant: null, otherServer: () => null };

interface Flags {
  readonly baseUrl?: string;
  readonly data?: string;
}

/**
 * Which server the flags and the environment mean.
 * @param named the address that they name; undefined: that of the data directory
 * @throws Failure `unreachable` if the record of the data directory is a copy
 */
export function findServer(flags: Flags, environment: Environment, named: string | undefined): Found {
  if (named === undefined) {
    const place = locateServerDirectory(flags.data);
    const record = readOwn(place);
    const meant = record && ({ directory: place, record, ifUnlocked: "ask" } as const);
    return { by: null, own: record, meant, otherServer: BY_ADDRESS.otherServer };
  }
  const isByFlag = flags.baseUrl !== undefined;
  const by = isByFlag ? "--base-url" : variablesOf(environment);
  const isDataNamed = flags.data !== undefined;
  // A directory that is not needed is not checked.
  if (!isOnThisMachine(named)) return { ...BY_ADDRESS, by };
  const place = findServerDirectory(flags.data);
  if (!place) return { ...BY_ADDRESS, by };
  const record = readOrNull(() => readOwn(place));
  if (!isByFlag && !isDataNamed && !record) refuseLeftover(environment, place);
  if (record && [record.base_url, record.control_url].some((address) => isSameServer(address, named))) {
    const isOurs = isDataNamed || (!isByFlag && hasKeyOf(place, environment));
    const meant = { directory: place, record, ifUnlocked: isOurs ? "ask" : "anybody" } as const;
    return { by, own: record, meant, otherServer: BY_ADDRESS.otherServer };
  }
  // --data says whom the user means. A variable that names another server may be an old one.
  const meant = !isByFlag && isDataNamed ? ({ directory: place, record, ifUnlocked: "nobody" } as const) : null;
  const otherServer = () => (record && isUsed(place) ? `the server of ${place.path} is at ${record.base_url}` : null);
  return { by, own: null, meant, otherServer };
}

export const isOnThisMachine = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

const variablesOf = ({ baseUrl, controlUrl }: Environment): string =>
  [baseUrl && "MOMO_BASE_URL", controlUrl && "MOMO_CONTROL_URL"].filter(Boolean).join(" and ");

/** Whether two addresses have the same port of this machine, by whatever name, or are of the same origin. */
const isSameServer = (one: string, other: string): boolean => originOf(one) === originOf(other);

const originOf = (address: string): string =>
  new URL(address).origin.replace(/\/\/(?:127\.0\.0\.1|\[::1\])(?=:|$)/, "//localhost");

/** Whether the variables were made for this directory, by `momo env` or `momo exec`. */
const hasKeyOf = (directory: DataDirectory, { apiKey }: Environment): boolean =>
  apiKey !== undefined && readOrNull(() => readCredentials(directory))?.api_key === apiKey;

/** A process that outlives `momo exec` keeps its variables. Their address then belongs to no server, or to another one. */
function refuseLeftover({ data }: Environment, { path }: DataDirectory): void {
  if (data !== undefined && basename(data).startsWith(TEMPORARY_PREFIX)) throw new NoServer(path);
}

/**
 * The record of a data directory.
 * @throws Failure `unreachable` if it was copied with the directory: it is about the server of another one
 */
function readOwn(directory: DataDirectory): ServerRecord | null {
  const record = readServer(directory);
  const original = record && copiedFrom(directory, record);
  if (!original) return record;
  throw new Failure(
    "unreachable",
    `no sandbox is running on ${directory.path}: its server.json is a copy, and tells of the server of ${original}`,
    "name that one with --data, or start one here with momo serve",
  );
}

/** The directory whose server the record is about, if that is another one; else null. */
export function copiedFrom(directory: DataDirectory, { data, data_id }: ServerRecord): string | null {
  if (data === undefined) return null;
  const own = identityOf(directory);
  return (data_id == null ? own.data === data : own.data_id === data_id) ? null : data;
}

/**
 * The server that a command is for. The port of a killed server may belong to another one now. So each request names its server in a
 * header, and any other momo refuses it.
 */
export interface Meant {
  readonly directory: DataDirectory;
  /** As it was when the server was found; null if none was recorded. */
  readonly record: ServerRecord | null;
  /**
   * If no process holds the lock of the directory: `ask`: the server must first show its id, because it was killed, or runs where
   * its lock is not seen; `anybody`: the user named the address, so the record does not matter; `nobody`: the request is for no server.
   */
  readonly ifUnlocked: "ask" | "anybody" | "nobody";
}

/** The headers of one request. The record is read again: a server that was started again has a new id. */
export async function identityHeaders(
  { directory, record: found, ifUnlocked }: Meant,
  ask: (record: ServerRecord, headers: Record<string, string>) => Promise<unknown>,
): Promise<Record<string, string>> {
  const record = readOrNull(() => readServer(directory)) ?? found;
  const headers = record?.id === undefined ? {} : { [SERVER_HEADER]: record.id };
  if (isUsed(directory)) return record ? headers : NOBODY;
  if (ifUnlocked === "anybody") return {};
  if (ifUnlocked === "nobody" || !record) return NOBODY;
  const answering = await ask(record, headers);
  if (record.id === undefined || answering !== record.id) {
    const { origin } = new URL(record.base_url);
    throw new NotServing(directory, origin, "that was killed, and another program or an older momo answers there");
  }
  return headers;
}

/** Whether a process of this machine uses the directory. */
export const isUsed = ({ lock }: DataDirectory): boolean => isHeld(lock);

/** No server has this id. */
const NOBODY = { [SERVER_HEADER]: "none" };

/** At the address of the server that is meant, another program answers. */
export class NotServing extends Failure {
  constructor({ path }: DataDirectory, origin: string, why: string, hint: string | null = null) {
    const start = `start one with momo serve --data ${quoted(path)}, or name the directory of the other with --data`;
    super("unreachable", `${origin} is not the server of ${path}: ${why}`, hint ?? start);
  }
}
