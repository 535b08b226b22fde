import { SERVER_HEADER } from "../../sandbox/control/identity.ts";
import { isLoopback } from "../../sandbox/loopback.ts";
import { OWN_HEADER } from "../../sandbox/request-log.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import type { DataDirectory } from "../files/data-directory.ts";
import { findDataDirectory, locateDataDirectory } from "../files/own-directory.ts";
import { runningServer, type ServerRecord } from "../files/server-record.ts";
import type { Io, Send } from "../io.ts";
import { Failure, NoServer } from "../terminal/failure.ts";

/** Which server a command is for: whichever answers at an address, or that of a data directory. */
export interface Server {
  readonly address: string;
  /** What names the address; null if the record of the directory does. */
  readonly by: Named["by"] | null;
  /** The directory whose server is meant; null: whichever answers at the address. */
  readonly directory: DataDirectory | null;
  /** What is known about the server: that of the directory, or one with this address. */
  readonly record: ServerRecord | null;
  readonly send: Send;
}

/** An address that a flag or a variable names. */
export interface Named {
  readonly by: "--base-url" | "MOMO_BASE_URL" | "MOMO_CONTROL_URL";
  readonly address: string;
}

/** For an address that nothing else is known about. */
export const serverAt = (address: string, send: Send): Server => ({
  address,
  by: null,
  directory: null,
  record: null,
  send,
});

/**
 * An address means whichever server answers there, a directory the server in its record.
 * @throws Failure `unreachable` if only a data directory is named, and no server runs on it
 */
export function findServer(io: Io, flags: { readonly data?: string }, named: Named | null): Server {
  const { send } = io;
  if (!named) {
    const directory = locateDataDirectory(io, flags.data);
    const record = requireRunning(directory, flags.data !== undefined);
    return { address: record.base_url, by: null, directory, record, send };
  }
  const { address, by } = named;
  // A directory that is not needed is not checked.
  const directory = isOnThisMachine(address) ? findDataDirectory(io, flags.data) : null;
  const record = directory && readOrNull(() => runningServer(directory));
  const isRecorded = record && [record.base_url, record.control_url].some((one) => isSameServer(one, address));
  return { address, by, directory: null, record: isRecorded ? record : null, send };
}

function requireRunning(directory: DataDirectory, isNamed = false): ServerRecord {
  const record = runningServer(directory);
  if (!record) throw new NoServer(directory.path, isNamed);
  return record;
}

export const isOnThisMachine = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

/** Whether two addresses have the same port of this machine, by whatever name, or are of the same origin. */
const isSameServer = (one: string, other: string): boolean => originOf(one) === originOf(other);

const originOf = (address: string): string =>
  new URL(address).origin.replace(/\/\/(?:127\.0\.0\.1|\[::1\])(?=:|$)/, "//localhost");

/**
 * The headers that name the server of a data directory: any other one refuses the request. A secret says that momo asks, and not the
 * client under test. The record is read for each request, because a server that was started again has a new id.
 * @throws Failure `unreachable` if no server runs there any more
 */
export function headersNaming({ directory, record }: Server): Record<string, string> {
  if (directory === null) return ownHeader(record);
  const running = requireRunning(directory);
  return { [SERVER_HEADER]: running.id, ...ownHeader(running) };
}

const ownHeader = (record: ServerRecord | null): Record<string, string> =>
  record?.own_secret === undefined ? {} : { [OWN_HEADER]: record.own_secret };

export function nothingAnswersAt(origin: string, { by }: Server): Failure {
  const isVariable = by?.startsWith("MOMO_");
  const cause = isVariable ? `, which ${by} in the environment names` : "";
  const other = isVariable
    ? `change or unset ${by} and the other MOMO_*`
    : "name another with --base-url or MOMO_BASE_URL";
  return new Failure("unreachable", `nothing answers at ${origin}${cause}`, `start it with momo serve, or ${other}`);
}
