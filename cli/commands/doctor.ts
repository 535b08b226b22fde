import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { quoted } from "../../sandbox/curl.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { redact } from "../../src/domain/redact.ts";
import {
  attemptBeside,
  inspectDatabase,
  isHeld,
  openMerchantsForReading,
  rebuildDerivedData,
} from "../../src/store/sqlite/sqlite.ts";
import { controlClient } from "../client/client.ts";
import { act, actOn, type Check, checkEnvironment, checkPath, diagnose, fine, isStopped } from "../client/diagnose.ts";
import { type Answer, LostAnswer } from "../client/request.ts";
import { resolveControl, type TargetFlags } from "../client/target.ts";
import type { Environment } from "../environment.ts";
import { type DataDirectory, nameDataDirectory } from "../files/data-directory.ts";
import { cannotWrite } from "../files/files.ts";
import { CLOSE_TO_OTHERS, lockDirectory, openTo, whyNotOurs } from "../files/own-directory.ts";
import { readClock, readCredentials, readServer, type ServerRecord } from "../files/server-record.ts";
import type { Io } from "../io.ts";
import { isInForce } from "../serving/credentials.ts";
import { withDatabase } from "../serving/engine.ts";
import { isFree } from "../serving/listen.ts";
import { Command } from "../terminal/command.ts";
import { EXIT, toFailure } from "../terminal/failure.ts";
import { outputOptions, readId, readPort, serverOptions, withOptions } from "../terminal/options.ts";
import { type Output, type OutputOptions, styled, wrapped } from "../terminal/output.ts";
import { type DatabaseFlags, databaseOptions, databaseUnlessData } from "./database-flags.ts";

interface DoctorFlags extends OutputOptions, TargetFlags, DatabaseFlags {
  readonly port: number;
  readonly mend?: true;
}

export function doctorCommand(io: Io): Command {
  const command = new Command("doctor")
    .option("--port <number>", "that momo serve would use", readPort, io.usualPort)
    .option("--mend", "count wrong totals again; no server may run on the data directory")
    .option("--account <id>", "the payment account that momo pay would use", readId);
  withOptions(command, ...databaseOptions(), ...serverOptions(), ...outputOptions());
  return command.action((flags: DoctorFlags) => doctor(io, flags));
}

async function doctor(io: Io, flags: DoctorFlags): Promise<void> {
  const directory = nameDataDirectory(io, flags.data);
  const foreign = whyNotOurs(directory).map((failure) => actOn("owner", failure));
  // A directory that is not ours is not used.
  const found = [
    ...(foreign.length > 0 ? [...foreign, checkPort(flags.port)] : await checkContents(io, directory, flags)),
    ...(await checkSharedDatabase(io, flags)),
    ...checkEnvironment(io.environment),
    ...checkPath(io.environment),
  ];
  // People show doctor's output to others, and a path or an address may have a secret.
  const findings = found.map(({ check, finding, remedy }) => ({
    check,
    finding: redact(finding),
    remedy: remedy && redact(remedy),
  }));
  const layout = () => {
    for (const finding of findings) printFinding(io, finding);
  };
  io.printData(flags, { json: { findings }, rows: findings, layout });
  if (findings.some(({ remedy }) => remedy !== null)) io.exitCode = EXIT.unexpected;
}

async function checkContents(io: Io, directory: DataDirectory, flags: DoctorFlags): Promise<Check[]> {
  const database = checkDatabase(directory, flags);
  const server = await checkServer(io, directory);
  return [
    checkDirectory(directory),
    ...checkFiles(directory),
    database,
    ...(database.remedy === null ? await checkKey(directory) : []),
    server.finding,
    ...(server.answers || isNamed(flags, io.environment) ? await diagnose(io, flags) : []),
    ...(server.isRunning ? [] : [checkPort(flags.port)]),
    ...checkClock(directory),
  ];
}

/** Whether a flag or the environment names a server, which may not be that of this directory. */
const isNamed = ({ baseUrl }: DoctorFlags, environment: Environment): boolean =>
  baseUrl !== undefined || URL.canParse(environment.momo().baseUrl ?? "");

/** Where the findings begin, and how much room they need there. */
const COLUMN = 21;
const MIN_ROOM = 30;

function printFinding(out: Output, { check, finding, remedy }: Check): void {
  const mark = remedy === null ? styled("green", "ok  ") : styled("red", "act ");
  const room = out.stdout.width() - COLUMN;
  const lines = [finding, ...(remedy === null ? [] : [remedy])];
  if (room >= MIN_ROOM) {
    const [first = "", ...rest] = lines.flatMap((line) => wrapped(line, room));
    out.print(mark, ` ${check.padEnd(15)} ${first}`);
    for (const line of rest) out.print(" ".repeat(COLUMN), line);
  } else {
    out.print(mark, ` ${check}`);
    for (const line of lines) out.printText(`     ${line}`);
  }
}

function checkDirectory({ path, database }: DataDirectory): Check {
  const check = "data directory";
  const isThere = existsSync(path);
  const wrong = isThere ? attemptBeside(database) : whyNotMade(path);
  if (wrong !== null) return actOn(check, cannotWrite(path, wrong, "choose another with --data or MOMO_DATA"));
  if (!isThere) return fine(check, `${path} is not there yet; momo serve makes it`);
  const others = openTo(path);
  if (others !== null) return act(check, others, CLOSE_TO_OTHERS);
  const isListed = (statSync(path).mode & 0o077) !== 0;
  return fine(check, isListed ? `${path}, which others may list; the files in it are yours alone` : path);
}

/** Why a folder could not be made; null if it could. */
function whyNotMade(path: string): unknown {
  const folder = nearestFolder(path);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) return { code: "EEXIST" }; // a link that leads nowhere
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory() ? null : { code: "ENOTDIR" };
  } catch (error) {
    return error;
  }
}

/** The nearest folder above a path that exists. */
function nearestFolder(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : nearestFolder(parent);
}

/** Checks that the records beside the database can be read, and only by their owner. */
function checkFiles(directory: DataDirectory): Check[] {
  const records = [
    ["credentials", directory.credentials, readCredentials],
    ["server record", directory.server, readServer],
    ["clock record", directory.clock, readClock],
  ] as const;
  return records.flatMap(([check, file, read]) => {
    if (!existsSync(file)) return [];
    try {
      read(directory);
    } catch (error) {
      return [actOn(check, toFailure(error))];
    }
    const isOpen = (statSync(file).mode & 0o077) !== 0 && process.platform !== "win32";
    return [isOpen ? act(check, `${file} can be read by others`, `chmod 600 ${quoted(file)}`) : fine(check, file)];
  });
}

const REPLACE_DATABASE =
  "put a copy in its place with momo import FILE --replace, update momo, or start in another folder with --data";
const WRONG_TOTALS = "sound, but its totals are not those of its payments";
const MENDED = "its totals were wrong, and are made again";
const MEND = "stop momo serve, and make them again with momo doctor --mend";

function checkDatabase(directory: DataDirectory, { mend }: DoctorFlags): Check {
  const check = "database";
  const inspection = inspectDatabase(directory.database);
  if (inspection.state === "missing") return fine(check, "none yet; momo serve makes it");
  if (inspection.state === "unusable") {
    const { problem, message } = inspection.error;
    if (/^(?:damaged|foreign|older|newer)$/.test(problem)) return act(check, message, REPLACE_DATABASE);
    return actOn(check, toFailure(inspection.error));
  }
  const sound = `sound, schema ${inspection.schema}`;
  if (inspection.totals) return fine(check, sound);
  if (!mend) return act(check, WRONG_TOTALS, MEND);
  using held = new DisposableStack();
  held.defer(lockDirectory(directory));
  rebuildDerivedData(directory.database);
  return fine(check, `${sound}; ${MENDED}`);
}

/** Checks the database that several servers share, if one is named. */
async function checkSharedDatabase(io: Io, flags: DoctorFlags): Promise<Check[]> {
  const named = databaseUnlessData(io, flags);
  if (!named) return [];
  const check = "shared database";
  try {
    return await withDatabase(named, "refuse", async (store) => {
      const sound = `sound, schema ${store.schema}`;
      if (await store.areTotalsTrue()) return [fine(check, sound)];
      if (!flags.mend) return [act(check, WRONG_TOTALS, "make them again with momo doctor --mend")];
      await store.recount();
      return [fine(check, `${sound}; ${MENDED}`)];
    });
  } catch (error) {
    return [actOn(check, toFailure(error))];
  }
}

/** Checks the key that commands find in the data directory. */
async function checkKey(directory: DataDirectory): Promise<Check[]> {
  const record = readOrNull(() => readCredentials(directory));
  if (!record || !existsSync(directory.database)) return [];
  const store = openMerchantsForReading(directory.database);
  const isValid = await isInForce(store, record).finally(() => store.close());
  const revoked = `${record.api_key} in credentials.json is revoked or belongs to another database, so it is refused`;
  const remedy = "stop and start momo serve, which makes a new one";
  return [isValid ? fine("key", record.api_key) : act("key", revoked, remedy)];
}

/** Also says whether the server of this directory runs, and whether it answers. */
async function checkServer(io: Io, directory: DataDirectory) {
  const found = (finding: string, { isRunning = false, answers = false, remedy = null as string | null } = {}) => ({
    finding: { check: "server", finding, remedy },
    isRunning,
    answers,
  });
  const record = readOrNull(() => readServer(directory));
  const isBusy = isHeld(directory.lock);
  if (!record) return found(isBusy ? BUSY : "no server runs on this directory; momo serve starts one");
  const { pid, base_url } = record;
  if (!isBusy) return found(`process ${pid} served ${base_url} and was killed; nothing is lost`);
  if (isStopped(pid)) {
    return found(`process ${pid} at ${base_url} is stopped (SIGSTOP or Ctrl+Z), and does not answer`, {
      isRunning: true,
      remedy: `kill -CONT ${pid} lets it continue`,
    });
  }
  try {
    const health = await controlClient(resolveControl(io, { data: directory.path }, {})).get("/health", {});
    return found(describe(health, record), { isRunning: true, answers: true });
  } catch (error) {
    const { code, message } = toFailure(error);
    if (code === "refused") return found(`process ${pid} at ${base_url}: ${message}`, { isRunning: true });
    if (error instanceof LostAnswer)
      return found(`process ${pid}: ${message}`, { isRunning: true, remedy: "it may be busy: try again soon" });
    return found(BUSY);
  }
}

/** The lock is held, but there is no record yet, or no longer. */
const BUSY = "no server runs, but another momo works here: it is starting, stopping or importing; try again soon";

function describe(health: Answer, { base_url, control_url }: ServerRecord): string {
  const apart = new URL(control_url).origin === new URL(base_url).origin ? "" : `, and ${control_url}`;
  return `momo ${health.version}, process ${health.pid}, serves ${base_url}${apart}`;
}

function checkPort(port: number): Check {
  if (isFree(port)) return fine("port", `${port} is free`);
  const remedy = "give momo serve another with --port, or 0 for any free one";
  return act("port", `${port} is in use by another program`, remedy);
}

function checkClock(directory: DataDirectory): Check[] {
  const saved = readOrNull(() => readClock(directory));
  if (!saved) return [];
  const isFrozen = "frozenAtMs" in saved.state;
  return [
    fine("clock", isFrozen ? "frozen; momo clock resume starts it again" : "runs, at another time than this machine's"),
  ];
}
