import { type DatabaseProblem, OutcomeUnknown, UnusableDatabase } from "../store.ts";
import type { EngineFailure } from "../vitals.ts";
import type { Address } from "./address.ts";
import { isRefusedValue, StoreClosed, sqlStateOf, verdictOf } from "./failures.ts";

/** What an error of the driver or of the engine says to a person. */

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const firstLine = (error: unknown): string => errorText(error).split("\n", 1)[0] ?? "";

/** The driver's codes for a login that failed. */
const LOGIN_FAILED = /AUTH|PASSWORD|SASL|SIGNATURE/;

/**
 * Explains why a database cannot be used, in one line; returns other errors unchanged.
 * @param name the database in messages: host, port and name
 */
export function explain(error: unknown, name: string): unknown {
  if (error instanceof UnusableDatabase) return error;
  if (error instanceof OutcomeUnknown) return explain(error.cause, name);
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
export function engineFailureOf(error: unknown, { name, login }: Address): EngineFailure | null {
  if (error instanceof StoreClosed) return { reason: error.message, advice: `look whether ${name} answers` };
  const state = sqlStateOf(error);
  for (const [states, reason, advice] of FAILURES)
    if (states.test(state)) return { reason, advice: `${advice} ${name}` };
  if (isRefusedValue(error) || state === "other") return null;
  const to = `IN SCHEMA public TO ${login.username}`;
  const grant = `run GRANT ALL ON ALL TABLES ${to} and GRANT ALL ON ALL SEQUENCES ${to}`;
  return { reason: firstLine(error), advice: state === "42501" ? grant : `read the log of ${name}` };
}
