import { UnusableDatabase } from "../store.ts";

/** What an error of the driver or of the engine says about a statement. */
export type Verdict =
  /** Nothing is written. To send it again can help. */
  | "again"
  /** The connection ended before the answer came: it may be written. */
  | "unknown"
  /** Nothing is written, and to send it again would not help. */
  | "final";

/** A connection that we closed, because it did not answer in time. Nothing is cancelled: a cancelled commit is answered as done. */
export class DeadlinePassed extends Error {
  override readonly name = "DeadlinePassed";

  constructor() {
    super("the database server did not answer in time");
  }
}

/** The connection ended before a statement was sent. */
export class ConnectionEnded extends Error {
  override readonly name = "ConnectionEnded";
  /** As the driver calls it where the connection ends later. */
  readonly code = "ERR_POSTGRES_CONNECTION_CLOSED";

  constructor() {
    super("the database server ended the connection");
  }
}

/** A write was tried until its deadline, and one of the attempts may have been committed. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";

  constructor(cause: unknown) {
    super(`whether it was stored is not known: ${messageOf(cause)}`, { cause });
  }
}

/** Under this name a retry is counted: the SQLSTATE, or what happened to the connection. */
export function stateOf(error: unknown): string {
  if (error instanceof DeadlinePassed) return "deadline";
  const { errno, code } = error as { errno?: unknown; code?: unknown };
  if (typeof errno === "string" && /^[0-9A-Z]{5}$/.test(errno)) return errno;
  return typeof code === "string" && /^(?:ERR_POSTGRES_|ERR_TLS|E[A-Z]+)/.test(code) ? "connection" : "other";
}

/** The engine rolled it back: a conflict between transactions, or a server that takes no writes or no connections now. */
const AGAIN = /^(?:40001|40P01|25006|53300|57P03|55P03|57014)$/;

/** The server ended the connection: an operator, a shutdown, a crash, a transaction that idled, a pooler without a server. */
const ENDED = /^(?:08...|57P01|57P02|57P05|25P03)$/;

export function verdictOf(error: unknown): Verdict {
  const state = stateOf(error);
  if ((error as { code?: unknown }).code === "ERR_POSTGRES_CONNECTION_REFUSED") return "again";
  if (state === "deadline" || state === "connection" || ENDED.test(state)) return "unknown";
  return AGAIN.test(state) ? "again" : "final";
}

/** Whether the server did not answer, or could not be reached. */
export const isSilence = (error: unknown): boolean =>
  verdictOf(error) === "unknown" || stateOf(error) === "connection" || /^(?:53300|57P03)$/.test(stateOf(error));

/** A server that cannot write for now: the next attempt must not use the same connection, which may lead elsewhere then. */
export const needsNewConnection = (error: unknown): boolean => isSilence(error) || stateOf(error) === "25006";

/** Whether the engine refused what was to be written: a rule, a bound, a type. */
export const isRefusedValue = (error: unknown): boolean => /^2[23]/.test(stateOf(error));

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Explains why a database cannot be used, in one line; returns other errors unchanged.
 * @param name the database as it may be shown: host, port and name
 */
export function explain(error: unknown, name: string): unknown {
  if (error instanceof UnusableDatabase) return error;
  const state = stateOf(error);
  const because = messageOf(error).split("\n")[0] ?? "";
  if (state === "25006") return new UnusableDatabase("standby", `${name} is a standby, and takes no writes`);
  if (/^(?:28|3D)/.test(state)) return new UnusableDatabase("refused", `${name} refuses the connection: ${because}`);
  if (state === "53300") return new UnusableDatabase("unreachable", `${name} has no connection left: ${because}`);
  if (state === "42501") return new UnusableDatabase("unwritable", `${name} cannot be written: ${because}`);
  if (state === "connection" || state === "deadline" || ENDED.test(state) || AGAIN.test(state)) {
    const code = String((error as { code?: unknown }).code ?? "");
    if (/AUTH|PASSWORD|SASL|SIGNATURE/.test(code)) {
      return new UnusableDatabase("refused", `${name} refuses the connection: ${because}`);
    }
    return new UnusableDatabase("unreachable", `${name} cannot be reached: ${because}`);
  }
  return error;
}
