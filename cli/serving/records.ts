import { existsSync, lstatSync, rmSync } from "node:fs";
import { type ClockState, LAST_INSTANT_MS } from "../../sandbox/network/clock.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { causeOf } from "../../src/store/causes.ts";
import { Failure } from "../terminal/failure.ts";
import type { DataDirectory } from "./data-directory.ts";
import { cannotRead, readJsonFile, writePrivateFile } from "./files.ts";

/**
 * The files beside the database, by which commands find a server without flags. They are checked by hand, because a server
 * and each command read them: zod takes 2.5 of 23 ms of `momo list`.
 */

/** The first merchant's key, so that `momo pay` works at once. */
export interface CredentialsRecord {
  readonly merchant_id: number;
  readonly payment_account_id: number;
  readonly api_key: string;
  readonly api_secret: string;
}

/** Where the running server is. */
export interface ServerRecord {
  /** Of this start of the server. An older momo writes none, and not which directory it serves. */
  readonly id?: string;
  /** The real path of the directory that it serves, and its device and inode; null on Windows. */
  readonly data?: string;
  readonly data_id?: string | null;
  readonly pid: number;
  readonly base_url: string;
  readonly control_url: string;
  readonly control_token: string | null;
}

type ClockRecord = { readonly frozen_at_ms: number } | { readonly ahead_ms: number };

type Check = (value: unknown) => boolean;

const whole =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
const text =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const id = whole(1, Number.MAX_SAFE_INTEGER);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const url: Check = (value) => typeof value === "string" && URL.canParse(value);

/** Whether a content has these members with valid values. With `alone`, it must have no others. */
function has(content: unknown, members: Readonly<Record<string, Check>>, { alone = false } = {}): boolean {
  if (typeof content !== "object" || content === null) return false;
  const given: Record<string, unknown> = { ...content };
  if (alone && Object.keys(given).length !== Object.keys(members).length) return false;
  return Object.entries(members).every(([name, check]) => check(Object.hasOwn(given, name) ? given[name] : undefined));
}

const isCredentials = (content: unknown): content is CredentialsRecord =>
  has(content, {
    merchant_id: id,
    payment_account_id: id,
    // As a database may hold them: older ones are shorter than those that a person may choose.
    api_key: text(/^mk_[0-9A-Za-z]{1,100}$/),
    api_secret: text(/^ms_[0-9A-Za-z]{1,128}$/),
  });

const isServer = (content: unknown): content is ServerRecord =>
  has(content, {
    id: optional(text(/^[0-9A-Z]{1,64}$/)),
    data: optional(text(/^.{1,5000}$/s)),
    data_id: optional((value) => value === null || text(/^[0-9]+:[0-9]+$/)(value)),
    pid: id,
    base_url: url,
    control_url: url,
    control_token: (value) => value === null || text(/^.{0,200}$/s)(value),
  });

const isClock = (content: unknown): content is ClockRecord =>
  has(content, { frozen_at_ms: whole(0, LAST_INSTANT_MS) }, { alone: true }) ||
  has(content, { ahead_ms: whole(-LAST_INSTANT_MS, LAST_INSTANT_MS) }, { alone: true });

export const readCredentials = (directory: DataDirectory | null) =>
  directory && read(directory.credentials, isCredentials);
export const readServer = (directory: DataDirectory | null) => directory && read(directory.server, isServer);

export const writeCredentials = ({ credentials }: DataDirectory, record: CredentialsRecord) =>
  write(credentials, record);
export const writeServer = ({ server }: DataDirectory, record: ServerRecord) => write(server, record);

/** Removes the record of a server that stops. Another one may serve a new directory of the same path: its record stays. */
export function removeServer(directory: DataDirectory, id: string): void {
  const record = readOrNull(() => readServer(directory));
  if (!record || record.id === id) rmSync(directory.server, { force: true });
}

const write = (file: string, record: object): void => writePrivateFile(file, `${JSON.stringify(record, null, 2)}\n`);

/** The state of a clock that was moved by hand; null if it was not moved. */
export function readClock({ clock }: DataDirectory): ClockState | null {
  const record = read(clock, isClock);
  if (record === null) return null;
  return "ahead_ms" in record ? { aheadMs: record.ahead_ms } : { frozenAtMs: record.frozen_at_ms };
}

export function writeClock({ clock }: DataDirectory, state: ClockState): void {
  if ("aheadMs" in state && state.aheadMs === 0) {
    rmSync(clock, { force: true });
    return;
  }
  const record = "aheadMs" in state ? { ahead_ms: state.aheadMs } : { frozen_at_ms: state.frozenAtMs };
  writePrivateFile(clock, `${JSON.stringify(record)}\n`);
}

/** Null if there is no such file. A file with other content is refused. Whose it is, `trusted` has checked. */
function read<T>(file: string, fits: (content: unknown) => content is T): T | null {
  // A link could lead out of the data directory, and a read from a pipe could wait forever.
  if (existsSync(file) && !lstatSync(file).isFile()) throw damaged(file);
  let content: unknown;
  try {
    content = readJsonFile(file);
  } catch (error) {
    throw causeOf(error) ? cannotRead(file, error) : damaged(file);
  }
  if (content === undefined) return null;
  if (!fits(content)) throw damaged(file);
  return content;
}

function damaged(file: string): Failure {
  return new Failure(
    "unexpected",
    `${file} cannot be read as a file of momo's`,
    "delete it: momo serve writes it again",
  );
}
