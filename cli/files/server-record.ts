import { rmSync, type Stats } from "node:fs";
import { basename } from "node:path";
import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { type ClockState, LAST_INSTANT_MS } from "../../sandbox/network/clock.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { causeOf } from "../../src/store/causes.ts";
import { isHeld } from "../../src/store/sqlite/sqlite.ts";
import { Failure } from "../terminal/failure.ts";
import type { DataDirectory } from "./data-directory.ts";
import { cannotRead, readJsonFile, statsOfPlace, writePrivateFile } from "./files.ts";

/**
 * The records beside the database: which server runs on a data directory, with which id, and its key and clock. They are checked by
 * hand, because a server and each command read them: zod takes 2.5 of 23 ms of `momo list`.
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
  /** Of this start of the server. A command that found it here names it with each request. */
  readonly id: string;
  /** What momo's own requests have in a header, so that the audit does not take them for the client's. */
  readonly own_secret?: string;
  readonly pid: number;
  readonly base_url: string;
  readonly control_url: string;
  readonly control_token: string | null;
}

/** Frozen at an instant, or ahead of the host's time. */
interface ClockRecord {
  readonly frozen_at_ms?: number;
  readonly ahead_ms?: number;
  readonly started_at_ms?: number | undefined;
}

/** A clock that was moved, for the next start. */
interface SavedClock {
  readonly state: ClockState;
  /** The time of `--clock 'TIME; running'` that started this clock; absent without it. */
  readonly startedAtMs?: number | undefined;
}

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
const url: Check = (value) => typeof value === "string" && URL.canParse(value);

/** Whether a content has these members with valid values. With `alone`, it must have no others. */
function has(content: unknown, members: Readonly<Record<string, Check>>, { alone = false } = {}): boolean {
  if (typeof content !== "object" || content === null) return false;
  const given: Record<string, unknown> = { ...content };
  if (alone && Object.keys(given).some((name) => !Object.hasOwn(members, name))) return false;
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
    id: text(/^[0-9A-Z]{1,64}$/),
    own_secret: (value) => value === undefined || text(/^[0-9A-Z]{1,64}$/)(value),
    pid: id,
    base_url: url,
    control_url: (value) => url(value) && String(value).endsWith(CONTROL_PATH),
    control_token: (value) => value === null || text(/^.{0,200}$/s)(value),
  });

const instant = whole(0, LAST_INSTANT_MS);
const ahead = whole(-LAST_INSTANT_MS, LAST_INSTANT_MS);
const started: Check = (value) => value === undefined || instant(value);
const isClock = (content: unknown): content is ClockRecord =>
  has(content, { frozen_at_ms: instant, started_at_ms: started }, { alone: true }) ||
  has(content, { ahead_ms: ahead, started_at_ms: started }, { alone: true });

export const readCredentials = (directory: DataDirectory | null) =>
  directory && read(directory.credentials, isCredentials);
export const readServer = (directory: DataDirectory | null) => directory && read(directory.server, isServer);

export const writeCredentials = ({ credentials }: DataDirectory, record: CredentialsRecord) =>
  write(credentials, isCredentials, record);
export const writeServer = ({ server }: DataDirectory, record: ServerRecord) => write(server, isServer, record);

/** The record of the server that runs on a directory now; null if none does: one that was killed leaves its record, and no lock. */
export function runningServer(directory: DataDirectory): ServerRecord | null {
  const record = readServer(directory);
  return record && isHeld(directory.lock) ? record : null;
}

/** Removes the record of a server that stops. Another one may serve a new directory of the same path: its record stays. */
export function removeServer(directory: DataDirectory, id: string): void {
  if (readOrNull(() => readServer(directory))?.id === id) rmSync(directory.server, { force: true });
}

/** Null if the clock shows the host's time. */
export function readClock({ clock }: DataDirectory): SavedClock | null {
  const record = read(clock, isClock);
  if (record === null) return null;
  const { ahead_ms: aheadMs = 0, frozen_at_ms: frozenAtMs, started_at_ms: startedAtMs } = record;
  return { state: frozenAtMs === undefined ? { aheadMs } : { frozenAtMs }, startedAtMs };
}

export function writeClock({ clock }: DataDirectory, { state, startedAtMs }: SavedClock): void {
  if ("aheadMs" in state && state.aheadMs === 0 && startedAtMs === undefined) {
    if (read(clock, isClock)) rmSync(clock);
    return;
  }
  const shown = "aheadMs" in state ? { ahead_ms: state.aheadMs } : { frozen_at_ms: state.frozenAtMs };
  write(clock, isClock, { ...shown, started_at_ms: startedAtMs });
}

type Fits<T> = (content: unknown) => content is T;

/** Of each record, by its name. */
const FITS: Readonly<Record<string, Fits<object>>> = {
  "credentials.json": isCredentials,
  "server.json": isServer,
  "clock.json": isClock,
};

/**
 * Reads a record, or the draft of one, by its name.
 * @throws Failure if it is no record of this name
 */
export function readRecord(file: string): object | null {
  const [name = ""] = /^\w+\.json/.exec(basename(file)) ?? [];
  return read(file, FITS[name] ?? isNothing);
}

const isNothing = (_: unknown): _ is object => false;

/** @throws Failure if another program has a file there */
function write<T extends object>(file: string, fits: Fits<T>, record: T): void {
  read(file, fits);
  writePrivateFile(file, `${JSON.stringify(record, null, 2)}\n`);
}

/**
 * Null if there is no such file. Whose directory it is, `requireOwnDirectory` has checked.
 * @throws Failure for anything but a record of momo's: a link could lead out of the directory, a read from a pipe could wait forever
 */
function read<T>(file: string, fits: Fits<T>): T | null {
  const stats = statsOfPlace(file);
  if (!stats) return null;
  if (!stats.isFile()) throw new Stranger(file, stats);
  let content: unknown;
  try {
    content = readJsonFile(file);
  } catch (error) {
    if (!statsOfPlace(file)) return null; // its server has stopped meanwhile
    throw causeOf(error) ? cannotRead(file, error) : new Stranger(file, stats);
  }
  if (content === undefined) return null;
  if (!fits(content)) throw new Stranger(file, stats);
  return content;
}

/** A file with a name of momo's that momo did not write. A process that is killed leaves a record whole, or a draft beside it. */
export class Stranger extends Failure {
  constructor(file: string, stats: Stats) {
    super("unexpected", `${file} is ${kindOf(stats)}, and stays as it is`, KEEP_IT);
  }
}

const KEEP_IT = "choose another folder with --data, or move it away if nothing needs it";

function kindOf(stats: Stats): string {
  if (stats.isFile()) return "not a file that momo wrote";
  if (stats.isSymbolicLink()) return "a link, which momo does not follow";
  return stats.isDirectory() ? "a folder, not a file of momo's" : "a pipe or a device, not a file of momo's";
}
