import { isDeepStrictEqual } from "node:util";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { controlClient } from "../client/client.ts";
import { startPrivateSandbox } from "../client/private-sandbox.ts";
import { LostAnswer } from "../client/request.ts";
import {
  type ControlTarget,
  MissingCredential,
  resolveControl,
  resolveTarget,
  type Target,
  type TargetFlags,
} from "../client/target.ts";
import { hasNoDataDirectory } from "../files/data-directory.ts";
import type { Io } from "../io.ts";
import { addSandboxOptions, configOf } from "../serving/sandbox-flags.ts";
import { Command } from "../terminal/command.ts";
import { Failure } from "../terminal/failure.ts";

/** Which sandbox an assistant works with. */

export type Connected = Target & ControlTarget;

/** The sandbox of an assistant. A private one was started for it, and ends with it. */
export interface Connection {
  /** Null until a server is found. */
  target: Connected | null;
  readonly isPrivate: boolean;
  /** Whether another server has taken the place of the one before, and the assistant does not know it. */
  isNew: boolean;
  /** Where the sandbox is now: a server that was started again may have another address. */
  find(): Connected;
  stop(): Promise<unknown>;
}

/** Does something with the server; if it has gone, with the one that was started in its place. */
export async function withServer<T>(connection: Connection, work: (target: Connected) => Promise<T>): Promise<T> {
  connection.target ??= connection.find();
  const { target } = connection;
  try {
    return await work(target);
  } catch (error) {
    if (!isGone(error)) throw error;
    const found = readOrNull(() => connection.find());
    if (found === null || isDeepStrictEqual(found, target)) throw error;
    connection.target = found;
    connection.isNew = true;
    return work(found);
  }
}

/** Whether a request did not reach the server, so that it can be sent to another. */
const isGone = (error: unknown): boolean =>
  error instanceof Failure && error.code === "unreachable" && !(error instanceof LostAnswer);

/**
 * Connects to the sandbox of the flags, of the environment or of the data directory; starts a private one if none runs, also where the
 * record of one that was killed is left. A named one that cannot be used is looked for again at each call: an assistant would not show
 * why its server has ended.
 * @throws Failure if no server can be found so
 */
export async function connect(io: Io, flags: TargetFlags): Promise<Connection> {
  const find = () => ({ ...resolveTarget(io, flags), ...resolveControl(io, flags) });
  const connection = { isPrivate: false, isNew: false, find, stop: async () => {} };
  try {
    const target = find();
    await controlClient(target).get("/clock", {});
    return { ...connection, target };
  } catch (error) {
    const isReplaced = isGone(error) || hasNoDataDirectory(io.environment, flags.data);
    if (!isReplaced || isNamed(io, flags)) {
      if (!canChange(error)) throw error;
      io.tellFailure(error, false);
      return { ...connection, target: null };
    }
  }
  const sandbox = await startPrivateSandbox(io, await configOf(io, addSandboxOptions(new Command()).opts()));
  io.environment.reachOwnMachine(new URL(sandbox.baseUrl));
  return { ...sandbox, isPrivate: true, isNew: false, find: () => sandbox.target };
}

/** Whether a server that is started, or a key that is given there, mends it. */
const canChange = (error: unknown): error is Failure =>
  error instanceof MissingCredential ||
  (error instanceof Failure && (error.code === "unreachable" || error.code === "unauthorized"));

/**
 * Whether a flag, or an address in the environment, names a sandbox: then no other takes its place. `MOMO_DATA` names none: it only
 * says where the data directory is, and every container has it.
 */
function isNamed({ environment }: Io, { baseUrl, data }: TargetFlags): boolean {
  const { baseUrl: service, controlUrl } = environment.momo();
  return [baseUrl, data, service, controlUrl].some((name) => name !== undefined);
}

/** What the assistant is told once, beside the first answer of a server that was started again. */
export function newsFor(connection: Connection): { readonly news?: string } {
  if (!connection.isNew) return {};
  connection.isNew = false;
  return { news: "The sandbox was started again. A single server has lost its rules, faults, requests and findings." };
}
