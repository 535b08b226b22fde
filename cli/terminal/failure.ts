import { Refusal } from "../../src/domain/error.ts";
import { UnusableDatabase } from "../../src/store/store.ts";

/** The documented exit codes. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  unauthorized: 4,
  refused: 5,
  unreachable: 6,
  /** The audited client made mistakes. */
  mistakes: 7,
  failed: 10,
  cancelled: 11,
  expired: 12,
  pending: 13,
  /** The codes of shells: `exec` found its command but may not run it, or did not find it. */
  commandRefused: 126,
  commandMissing: 127,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** The code of each failure in `--json`, and the exit code of the process. */
const EXIT_OF = {
  unexpected: EXIT.unexpected,
  usage: EXIT.usage,
  not_found: EXIT.notFound,
  unauthorized: EXIT.unauthorized,
  refused: EXIT.refused,
  unreachable: EXIT.unreachable,
  answer_lost: EXIT.unreachable,
  command_refused: EXIT.commandRefused,
  command_missing: EXIT.commandMissing,
} as const;

export type FailureCode = keyof typeof EXIT_OF;

/** Why a command failed, in one line, and what to do about it. */
export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly code: FailureCode,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }

  get exitCode(): number {
    return EXIT_OF[this.code];
  }
}

const REFUSAL_CODES = {
  invalid: "usage",
  unauthorized: "unauthorized",
  not_found: "not_found",
  conflict: "refused",
  stopping: "refused",
  unavailable: "refused",
  provider: "refused",
} as const;

const DATABASE_HINTS = {
  locked: "close the other program, or choose another folder with --data",
  damaged: "put a copy in its place with momo import FILE --replace, or start in another folder with --data",
  foreign: "choose another folder with --data",
  older: "choose another folder with --data, or remove that file",
  newer: "update momo, or choose another folder with --data",
  unwritable: "make the folder writable, or choose another one with --data",
  linked: "put the file itself there, or choose another folder with --data",
  missing: "run momo serve once, or name the folder with --data",
  unreachable: "start the database server, or correct --database",
  refused: "correct the user, the password or the name of the database in --database",
  standby: "name the primary server, or an address that leads to it, with --database",
  fragile: "set synchronous_standby_names and synchronous_commit = on, or leave out --require-replica",
} as const;

/** Turns any error into a failure that can be shown. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Refusal) return new Failure(REFUSAL_CODES[error.kind], error.message);
  if (error instanceof UnusableDatabase) {
    const code = error.problem === "missing" ? "not_found" : "unexpected";
    return new Failure(code, error.message, DATABASE_HINTS[error.problem]);
  }
  return new Failure("unexpected", error instanceof Error ? error.message : String(error));
}
