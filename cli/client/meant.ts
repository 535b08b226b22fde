import { SERVER_HEADER } from "../../sandbox/control/identity.ts";
import { quoted } from "../../sandbox/curl.ts";
import { isHeld } from "../../src/store/sqlite/sqlite.ts";
import type { DataDirectory } from "../serving/data-directory.ts";
import { readOrNull } from "../serving/files.ts";
import { readServer, type ServerRecord } from "../serving/records.ts";
import { Failure } from "../terminal/failure.ts";

/**
 * Which server a command means. The record of a killed server names a port that may belong to another server by now, so each request
 * says in a header for which server it is, and any other momo refuses it.
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
