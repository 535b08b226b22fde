import { expect, test } from "bun:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import {
  engineFailureOf,
  explain,
  isAway,
  isRefusedValue,
  NoAnswer,
  needsNewConnection,
  Overloaded,
  sqlStateOf,
  verdictOf,
} from "../../src/store/postgres/failures.ts";
import { OutcomeUnknown, type UnusableDatabase } from "../../src/store/store.ts";

/** What each error of the driver and of the engine means: for the statement, for the connection, and for a person. */

const address = parseAddress("postgres://shop:s3cret@db:5432/momo", null, "test");

const engine = (errno: string, message = "no") => Object.assign(new Error(message), { errno });
const driver = (code: string) => Object.assign(new Error("no"), { code });

/** In one word: what the statement's writer does, `+` if the server is away, `*` if it needs another connection. */
const meaningOf = (error: unknown) =>
  `${verdictOf(error)}${isAway(error) ? "+" : ""}${needsNewConnection(error) ? "*" : ""}${isRefusedValue(error) ? " refused" : ""}`;

const MEANINGS: readonly (readonly [string, readonly unknown[]])[] = [
  ["again", ["40001", "40P01", "55P03", "57014"].map((state) => engine(state))],
  ["again*", [engine("25006")]],
  ["again+*", [engine("53300"), engine("57P03")]],
  [
    "silent+*",
    [
      ...["08000", "08006", "57P01", "57P02", "57P05", "25P03"].map((state) => engine(state)),
      ...["ERR_POSTGRES_CONNECTION_CLOSED", "ERR_POSTGRES_CONNECTION_REFUSED", "ERR_TLS_CERT", "ECONNRESET"].map(
        driver,
      ),
      ...[new NoAnswer("deadline"), new NoAnswer("connection")],
    ],
  ],
  ["final", [engine("42501"), engine("53100"), new Error("x"), new TypeError("x"), "x"]],
  ["final refused", [engine("22003"), engine("23505"), engine("23514")]],
];
test.each(MEANINGS)("a statement is to be tried: %s", (meaning, errors) => {
  expect(errors.map((error) => [sqlStateOf(error), meaningOf(error)])).toEqual(
    errors.map((error) => [sqlStateOf(error), meaning]),
  );
});

test("a retry is counted under its SQLSTATE, or under what happened to the connection", () => {
  const errors = [engine("40001"), new NoAnswer("deadline"), driver("ECONNRESET"), driver("OTHER"), engine("4000")];
  expect(errors.map(sqlStateOf)).toEqual(["40001", "deadline", "connection", "other", "other"]);
});

const CANNOT_BE_USED: readonly (readonly [unknown, string])[] = [
  [engine("25006"), "standby: NAME is a standby, and takes no writes"],
  [engine("28P01"), "refused: NAME refuses the connection: no"],
  [engine("3D000", "no such\ndatabase"), "refused: NAME refuses the connection: no such"],
  [engine("53300"), "unreachable: NAME has no connection left: no"],
  [engine("42501"), "unwritable: NAME cannot be written: no"],
  [engine("57P03"), "unreachable: NAME cannot be reached: no"],
  [engine("57P01"), "unreachable: NAME cannot be reached: no"],
  [driver("ECONNREFUSED"), "unreachable: NAME cannot be reached: no"],
  [new NoAnswer("deadline"), "unreachable: NAME cannot be reached: the database server did not answer in time"],
  ...["AUTHENTICATION_FAILED", "PASSWORD_REQUIRED", "SASL_SIGNATURE", "INVALID_SERVER_SIGNATURE"].map(
    (why) => [driver(`ERR_POSTGRES_${why}`), "refused: NAME refuses the connection: no"] as const,
  ),
];
test("why a database cannot be used", () => {
  const said = CANNOT_BE_USED.map(([error]) => {
    const { problem, message } = explain(error, "NAME") as UnusableDatabase;
    return `${problem}: ${message}`;
  });
  expect(said).toEqual(CANNOT_BE_USED.map(([, words]) => words));
});

test("an error that says nothing about the database stays what it is", () => {
  const error = new TypeError("x");
  expect(explain(error, "NAME")).toBe(error);
});

const AT = "the database momo at db:5432";
const TROUBLES: readonly (readonly [unknown, string | null])[] = [
  [engine("53100"), `the disk of the database is full or fails; free some space on the disk of ${AT}`],
  [engine("58030"), `the disk of the database is full or fails; free some space on the disk of ${AT}`],
  [engine("53300"), `the database has no connection left; raise max_connections of ${AT}`],
  [engine("55P03"), `another session has locked a table; find it with pg_blocking_pids(), and end it, at ${AT}`],
  [engine("25006"), `the database is a standby, which takes no writes; connect to the primary, not to ${AT}`],
  [
    new NoAnswer("deadline"),
    `the database did not answer in time; look for locks, a missing standby or a full disk at ${AT}`,
  ],
  ...[driver("ECONNRESET"), engine("08006"), engine("57P01"), engine("57P03")].map(
    (error) => [error, `the database cannot be reached; start, or make reachable, ${AT}`] as const,
  ),
  [
    engine("42501", "permission denied for table api_keys"),
    "permission denied for table api_keys; run GRANT ALL ON ALL TABLES IN SCHEMA public TO shop and GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO shop",
  ],
  [
    engine("42501", "permission denied for sequence numbers\nat once"),
    "permission denied for sequence numbers; run GRANT ALL ON ALL TABLES IN SCHEMA public TO shop and GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO shop",
  ],
  [engine("XX001", "a page is damaged\nat byte 7"), `a page is damaged; read the log of ${AT}`],
  [
    new OutcomeUnknown(engine("53100")),
    `the disk of the database is full or fails; free some space on the disk of ${AT}`,
  ],
  [new Overloaded("20 others wait"), `20 others wait: try again later; find out why ${AT} is slow`],
  // They are about the written values, or not the engine's.
  ...[engine("22003"), engine("23514"), new Error("x")].map((error) => [error, null] as const),
];
test("what an operator reads about an error", () => {
  const said = TROUBLES.map(([error]) => {
    const trouble = engineFailureOf(error, address);
    return trouble && `${trouble.reason}; ${trouble.advice}`;
  });
  expect(said).toEqual(TROUBLES.map(([, words]) => words));
});
