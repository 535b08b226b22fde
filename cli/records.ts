import { existsSync, lstatSync, rmSync } from "node:fs";
import * as z from "zod/mini"; // read before a server is ready: the whole of zod takes longer to load than a server to start
import { type ClockState, LAST_INSTANT_MS } from "../sandbox/clock.ts";
import { type DataDirectory, readJson, writePrivateFile } from "./data-directory.ts";
import { Failure } from "./failure.ts";

/** The records beside the database that let commands find a server without flags. */

const credentialsSchema = z.object({
  merchant_id: z.int().check(z.minimum(1)),
  payment_account_id: z.int().check(z.minimum(1)),
  api_key: z.string().check(z.regex(/^mk_[0-9a-z]{1,100}$/)),
  api_secret: z.string().check(z.regex(/^ms_[0-9a-z]{1,100}$/)),
});

const serverSchema = z.object({
  pid: z.int().check(z.minimum(1)),
  base_url: z.url(),
  control_url: z.url(),
  control_token: z.nullable(z.string().check(z.maxLength(200))),
});

const clockSchema = z.union([
  z.strictObject({ frozen_at_ms: z.int().check(z.minimum(0), z.maximum(LAST_INSTANT_MS)) }),
  z.strictObject({ ahead_ms: z.int().check(z.minimum(-LAST_INSTANT_MS), z.maximum(LAST_INSTANT_MS)) }),
]);

/** The first merchant's key, so that `momo pay` works at once. */
export type CredentialsRecord = z.infer<typeof credentialsSchema>;

/** Where the running server is. */
export type ServerRecord = z.infer<typeof serverSchema>;

export const readCredentials = ({ credentials }: DataDirectory) => read(credentials, credentialsSchema);
export const readServer = ({ server }: DataDirectory) => read(server, serverSchema);

export function writeCredentials({ credentials }: DataDirectory, record: CredentialsRecord): void {
  writePrivateFile(credentials, `${JSON.stringify(record, null, 2)}\n`);
}

export function writeServer({ server }: DataDirectory, record: ServerRecord): void {
  writePrivateFile(server, `${JSON.stringify(record, null, 2)}\n`);
}

/** Where a clock that was moved by hand stands; null for one that was not. */
export function readClock({ clock }: DataDirectory): ClockState | null {
  const record = read(clock, clockSchema);
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

/** Null where there is no such file. A file that holds something else is refused, never guessed at. */
function read<T>(file: string, schema: z.ZodMiniType<T>): T | null {
  // A link would lead out of the data directory, and a pipe would have us wait.
  if (existsSync(file) && !lstatSync(file).isFile()) throw damaged(file);
  let content: unknown;
  try {
    content = readJson(file);
  } catch {
    throw damaged(file);
  }
  if (content === undefined) return null;
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw damaged(file);
  return parsed.data;
}

function damaged(file: string): Failure {
  return new Failure(
    "unexpected",
    `${file} cannot be read as a file of momo's`,
    "delete it: momo serve writes it anew",
  );
}
