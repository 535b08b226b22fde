import { Refusal } from "../../domain/error.ts";
import { OutcomeUnknown } from "../store.ts";

/** What an error of the driver or of the engine says about a statement. */
export type Verdict =
  /** Nothing is written. A retry can succeed. */
  | "again"
  /** The server did not answer. If the statement was sent, it may be written. */
  | "silent"
  /** Nothing is written, and a retry would fail, too. */
  | "final";

/** The server did not answer in time, or the connection ended before the statement was sent. */
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

/** The name under which a retry is counted: the SQLSTATE, or what happened to the connection. */
export function sqlStateOf(error: unknown): string {
  if (error instanceof OutcomeUnknown) return sqlStateOf(error.cause);
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

/** Whether the engine refused the written values: by a rule, a bound or a type. */
export const isRefusedValue = (error: unknown): boolean => /^2[23]/.test(sqlStateOf(error));
