import { basename } from "node:path";
import { isLoopback } from "../../sandbox/control/guard.ts";
import type { Handler } from "../../src/http/request.ts";
import type { Environment } from "../environment.ts";
import { type DataDirectory, identityOf, TEMPORARY_PREFIX } from "../serving/data-directory.ts";
import { readOrNull } from "../serving/files.ts";
import { readCredentials, readServer, type ServerRecord } from "../serving/records.ts";
import { findServerDirectory, locateServerDirectory } from "../serving/server-directory.ts";
import { Failure, NoServer } from "../terminal/failure.ts";
import { isUsed, type Meant } from "./meant.ts";

/** How a command found its server. */
export interface Found {
  /** The flag or the variables that named the address; null if the data directory did. */
  readonly by: string | null;
  /** The record of the data directory, if the address is that of its server. */
  readonly own: ServerRecord | null;
  /** Null if the address alone says which server is meant. */
  readonly meant: Meant | null;
  /** Says where the server of the data directory runs, if the address is not its own. */
  readonly elsewhere: () => Promise<string | null>;
  /** Answers the requests in this process. */
  readonly handler?: Handler;
}

/** For an address that no directory is known for. */
export const BY_ADDRESS: Found = { by: null, own: null, meant: null, elsewhere: async () => null };

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
    return { by: null, own: record, meant, elsewhere: BY_ADDRESS.elsewhere };
  }
  const isByFlag = flags.baseUrl !== undefined;
  const by = isByFlag ? "--base-url" : variablesOf(environment);
  const isDataNamed = flags.data !== undefined;
  // A directory that is not needed is not checked.
  if (!isHere(named)) return { ...BY_ADDRESS, by };
  const place = findServerDirectory(flags.data);
  if (!place) return { ...BY_ADDRESS, by };
  const record = readOrNull(() => readOwn(place));
  if (!isByFlag && !isDataNamed && !record) refuseLeftover(environment, place);
  if (record && [record.base_url, record.control_url].some((address) => isSameServer(address, named))) {
    const isOurs = isDataNamed || (!isByFlag && hasKeyOf(place, environment));
    const meant = { directory: place, record, ifUnlocked: isOurs ? "ask" : "anybody" } as const;
    return { by, own: record, meant, elsewhere: BY_ADDRESS.elsewhere };
  }
  // --data says whom the user means. A variable that names another server may be an old one.
  const meant = !isByFlag && isDataNamed ? ({ directory: place, record, ifUnlocked: "nobody" } as const) : null;
  const elsewhere = async () =>
    record && isUsed(place) ? `the server of ${place.path} is at ${record.base_url}` : null;
  return { by, own: null, meant, elsewhere };
}

export const isHere = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

const variablesOf = ({ baseUrl, controlUrl }: Environment): string =>
  [baseUrl && "MOMO_BASE_URL", controlUrl && "MOMO_CONTROL_URL"].filter(Boolean).join(" and ");

/** Whether two addresses have the same port of this machine, by whatever name, or are of the same origin. */
const isSameServer = (one: string, other: string): boolean => originOf(one) === originOf(other);

const originOf = (address: string): string =>
  new URL(address).origin.replace(/\/\/(?:127\.0\.0\.1|\[::1\])(?=:|$)/, "//localhost");

/** Whether the variables were made for this directory, by `momo env` or `momo exec`. */
const hasKeyOf = (directory: DataDirectory, { apiKey }: Environment): boolean =>
  apiKey !== undefined && readOrNull(() => readCredentials(directory))?.api_key === apiKey;

/** The variables of `momo exec` stay in a process that lives longer. Then their address is nobody's, or another server's. */
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
