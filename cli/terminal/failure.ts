import { quoted } from "../../sandbox/curl.ts";
import { Refusal } from "../../src/domain/error.ts";
import { causeOf } from "../../src/store/causes.ts";
import { type DatabaseProblem, UnusableDatabase } from "../../src/store/store.ts";

/** All exit codes: `momo help exit-codes` and docs/cli.md show this table. */
export const EXIT_CODES = {
  done: [0, "done; with --wait: completed"],
  unexpected: [1, "unexpected error"],
  usage: [2, "wrong command line; nothing was sent"],
  notFound: [3, "not found"],
  unauthorized: [4, "credentials refused"],
  refused: [5, "request refused"],
  unreachable: [6, "server not reached, or its answer was lost"],
  mistakes: [7, "exec, audit: the client made an error, or what --audit= or --fail-on names; check: the service did"],
  failed: [10, "with --wait: failed"],
  cancelled: [11, "with --wait: cancelled"],
  expired: [12, "with --wait: expired"],
  pending: [13, "with --wait: still pending at the time-out"],
  // The next two are those of shells.
  commandRefused: [126, "exec: the command may not be run"],
  commandMissing: [127, "exec: the command was not found"],
  hungUp: [129, "the terminal was closed (SIGHUP)"],
  interrupted: [130, "interrupted with Ctrl+C (SIGINT)"],
  terminated: [143, "ended from outside (SIGTERM)"],
} as const satisfies Record<string, readonly [code: number, meaning: string]>;

export const EXIT = Object.fromEntries(Object.entries(EXIT_CODES).map(([name, [code]]) => [name, code])) as {
  readonly [N in keyof typeof EXIT_CODES]: (typeof EXIT_CODES)[N][0];
};

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

/** No sandbox runs on a data directory. */
export class NoServer extends Failure {
  /** @param isNamed by `--data` */
  constructor(directory: string, isNamed: boolean) {
    const serve = isNamed ? `momo serve --data ${quoted(directory)}` : "momo serve";
    super(
      "unreachable",
      `no sandbox is running on ${directory}`,
      `start one with ${serve}, or name one with --base-url or MOMO_BASE_URL`,
    );
  }
}

const REFUSAL_CODES = {
  invalid: "usage",
  account: "refused",
  unauthorized: "unauthorized",
  not_found: "not_found",
  conflict: "refused",
  stopping: "refused",
  unavailable: "refused",
  provider: "refused",
} as const;

/** What helps: with a data directory; with a database that servers share, and with a copy, where it differs. */
const DATABASE_HINTS: Readonly<Record<"own", Record<DatabaseProblem, string>>> &
  Readonly<Record<"shared" | "copy", Partial<Record<DatabaseProblem, string>>>> = {
  own: {
    locked: "close the other program, or choose another folder with --data",
    damaged: "put a copy in its place with momo import FILE --replace, or start in another folder with --data",
    foreign: "choose another folder with --data",
    older: "choose another folder with --data, or remove that file",
    newer: "update momo, or choose another folder with --data",
    unwritable: "choose another folder with --data",
    linked: "put the file itself there, or choose another folder with --data",
    missing: "run momo serve once, or name the folder with --data",
    seeded: "choose another folder with --data, remove the payments with momo reset, or leave out --seed",
    unreachable: "start the database server, or correct --database",
    refused: "correct the user, the password or the name of the database in --database",
    standby: "name the primary server, or an address that leads to it, with --database",
    fragile: "set synchronous_standby_names and synchronous_commit = on, or leave out --require-replica",
    taken: "give each server its own name with --replica",
  },
  shared: {
    foreign: "make a new database, and name that with --database",
    older: "stop the servers that use it, and run momo migrate --database",
    newer: "update momo",
    missing: "run momo migrate --database first",
    unwritable: "give its user the rights to write, and to make tables in an empty database",
  },
  copy: {
    damaged: "use another copy",
    foreign: "use a copy that momo export made",
    older: "use a copy that a released momo made",
    newer: "update momo",
  },
};

/**
 * The same error with a hint that fits, if there is one. The hint for the cause is then left out. While a shared database is copied,
 * the error can be about the file.
 */
export function withHintFor(kind: "shared" | "copy", error: unknown): unknown {
  const isMeant = error instanceof UnusableDatabase && (kind === "copy" || error.file === null);
  const hint = isMeant ? DATABASE_HINTS[kind][error.problem] : undefined;
  return hint === undefined ? error : new Failure("unexpected", (error as Error).message, hint);
}

/** Turns any error into a failure that can be shown. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Refusal) return new Failure(REFUSAL_CODES[error.kind], error.message);
  if (error instanceof UnusableDatabase) {
    const code = error.problem === "missing" ? "not_found" : "unexpected";
    const hint = DATABASE_HINTS.own[error.problem];
    return new Failure(code, error.message, error.remedy === null ? hint : `${error.remedy}, or ${hint}`);
  }
  const cause = causeOf(error);
  if (cause === null) return new Failure("unexpected", error instanceof Error ? error.message : String(error));
  const { path } = error as NodeJS.ErrnoException;
  return new Failure("unexpected", `${path ?? "the database"} cannot be used: ${cause.reason}`, cause.remedy);
}
