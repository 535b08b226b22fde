import { Refusal } from "../../domain/error.ts";
import { type DatabaseProblem, Unanswered, UnusableDatabase } from "../store.ts";
import type { EngineFailure } from "../vitals.ts";
import type { Address } from "./address.ts";

/** What an error of the driver or of the engine says about a statement. */
export type Verdict =
  /** Nothing is written. A retry can succeed. */
  | "again"
  /** The server did not answer. If the statement was sent, it may be written. */
  | "silent"
  /** Nothing is written, and a retry would fail, too. */
  | "final";

/** The server did not answer in time, or the connection ended before a statement was sent. */
export class NoAnswer extends Error {
  constructor(readonly state: "deadline" | "connection") {
    super(`the database server ${state === "deadline" ? "did not answer in time" : "ended the connection"}`);
  }
}

/** The store was closed before the database answered. */
export class StoreClosed extends Refusal {
  constructor() {
    super("stopping", "the server stopped before the database answered: nothing is stored, try again when it is back");
  }
}

/** The statement was never sent, because others took too long. */
export class Overloaded extends Refusal {
  constructor(reason: string) {
    super("unavailable", `${reason}: try again later`);
  }
}

/** The name under which a retry is counted: the SQLSTATE, or what happened to the connection. */
export function sqlStateOf(error: unknown): string {
  if (error instanceof Unanswered) return sqlStateOf(error.cause);
  if (error instanceof NoAnswer) return error.state;
  const { errno, code } = error as { errno?: unknown; code?: unknown };
  if (typeof errno === "string" && /^[0-9A-Z]{5}$/.test(errno)) return errno;
  return typeof code === "string" && /^(?:ERR_POSTGRES_|ERR_TLS|E[A-Z]+)/.test(code) ? "connection" : "other";
}

/** The engine rolled it back: a conflict between transactions, or a server that accepts no writes or no connections now. */
const AGAIN = /^(?:40001|40P01|25006|53300|57P03|55P03|57014)$/;

/** No answer, or the server ended the connection: an operator, a shutdown, a crash, an idle transaction, a pooler without a server. */
const SILENT = /^(?:deadline|connection|08...|57P01|57P02|57P05|25P03)$/;

export function verdictOf(error: unknown): Verdict {
  const state = sqlStateOf(error);
  if (SILENT.test(state)) return "silent";
  return AGAIN.test(state) ? "again" : "final";
}

/** Whether the server did not answer, or takes no connections. */
export const isAway = (error: unknown): boolean =>
  verdictOf(error) === "silent" || /^(?:53300|57P03)$/.test(sqlStateOf(error));

/** Whether the next attempt needs a new connection, because the address may lead to another server by then. */
export const needsNewConnection = (error: unknown): boolean => isAway(error) || sqlStateOf(error) === "25006";

/** Whether the engine refused the written values: by a rule, a bound or a type. */
export const isRefusedValue = (error: unknown): boolean => /^2[23]/.test(sqlStateOf(error));

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const firstLine = (error: unknown): string => errorText(error).split("\n", 1)[0] ?? "";

/** The driver's codes for a login that failed. */
const LOGIN_FAILED = /AUTH|PASSWORD|SASL|SIGNATURE/;

/** Explains in one line why a database cannot be used; returns other errors unchanged. */
export function explain(error: unknown, name: string): unknown {
  if (error instanceof UnusableDatabase) return error;
  if (error instanceof Unanswered) return explain(error.cause, name);
  const state = sqlStateOf(error);
  if (state === "25006") return new UnusableDatabase("standby", `${name} is a standby, and takes no writes`);
  const unusable = (problem: DatabaseProblem, what: string) =>
    new UnusableDatabase(problem, `${name} ${what}: ${firstLine(error)}`);
  if (/^(?:28|3D)/.test(state)) return unusable("refused", "refuses the connection");
  if (state === "53300") return unusable("unreachable", "has no connection left");
  if (state === "42501") return unusable("unwritable", "cannot be written");
  if (verdictOf(error) === "final") return error;
  const { code } = error as { code?: unknown };
  if (LOGIN_FAILED.test(String(code))) return unusable("refused", "refuses the connection");
  return unusable("unreachable", "cannot be reached");
}

/** By SQLSTATE: the reason, and the advice without the database. */
const FAILURES: readonly (readonly [states: RegExp, reason: string, advice: string])[] = [
  [/^(?:53100|58030)$/, "the disk of the database is full or fails", "free some space on the disk of"],
  [/^53300$/, "the database has no connection left", "raise max_connections of"],
  [/^55P03$/, "another session has locked a table", "find it with pg_blocking_pids(), and end it, at"],
  [/^25006$/, "the database is a standby, which takes no writes", "connect to the primary, not to"],
  [/^deadline$/, "the database did not answer in time", "look for locks, a missing standby or a full disk at"],
  [/^(?:connection|08...|57P0.)$/, "the database cannot be reached", "start, or make reachable,"],
];

/** What an error says about the engine; null if it is about the written values, or is not the engine's. */
export function engineFailureOf(error: unknown, address: Address): EngineFailure | null {
  const { name, login } = address;
  if (error instanceof Unanswered) return engineFailureOf(error.cause, address);
  if (error instanceof Overloaded) return { reason: error.message, advice: `find out why ${name} is slow` };
  if (error instanceof StoreClosed) return { reason: error.message, advice: `look whether ${name} answers` };
  const state = sqlStateOf(error);
  for (const [states, reason, advice] of FAILURES)
    if (states.test(state)) return { reason, advice: `${advice} ${name}` };
  if (isRefusedValue(error) || state === "other") return null;
  const to = `IN SCHEMA public TO ${login.username}`;
  const grant = `run GRANT ALL ON ALL TABLES ${to} and GRANT ALL ON ALL SEQUENCES ${to}`;
  return { reason: firstLine(error), advice: state === "42501" ? grant : `read the log of ${name}` };
}
