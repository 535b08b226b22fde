import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import {
  addSharingOptions,
  databaseUnlessData,
  drainOf,
  namedDatabase,
  type SharingFlags,
  sharedDatabase,
} from "../../cli/serving/database-flags.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";

/** The options of a database that several servers share, without a database. */

const VARIABLES = ["MOMO_DATABASE", "PGPASSWORD"] as const;
const before = VARIABLES.map((name) => [name, process.env[name]] as const);
const restore = () => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
};
afterEach(restore);
afterAll(cleanUp);

const set = (env: Partial<Record<(typeof VARIABLES)[number], string>>) => {
  for (const name of VARIABLES) process.env[name] = env[name] ?? "";
};

const URL = "postgres://u@db/shop";
const WITH_PASSWORD = "postgres://u:in-url@db/shop";

function passwordFile(text: string): string {
  const file = join(newFolder(), "password");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** The flags of `momo serve` with these words. */
function read(...words: string[]): SharingFlags {
  const command = addSharingOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(words, { from: "user" }).opts();
}

test("the defaults: eight connections, ten seconds for a write, five to drain, and a name of its own for each process", () => {
  set({ MOMO_DATABASE: URL });
  const shared = sharedDatabase({});
  expect(shared).toMatchObject({ url: URL, password: null, connections: 8, commitDeadlineMs: 10_000 });
  expect(shared).toMatchObject({ requireReplica: false, replica: { allowsReset: false } });
  expect(shared?.replica.name).toMatch(/^[A-Za-z0-9_.-]{1,40}$/);
  expect(shared?.replica.name).toEndWith(`-${process.pid}`);
  expect(shared?.replica.name).toStartWith(hostname().slice(0, 1));
  expect([drainOf({}, shared), drainOf({}, null), drainOf({ drain: 0 }, shared)]).toEqual([5000, 0, 0]);
  set({});
  expect(sharedDatabase({})).toBeNull();
});

test("each option replaces its default", () => {
  set({});
  const words = ["--database-connections", "20", "--commit-deadline", "1s", "--drain", "7s", "--replica", "a.b-c_1"];
  const flags = read("--database", URL, ...words, "--require-replica", "--allow-reset");
  const shared = sharedDatabase(flags);
  expect(shared).toEqual({
    ...{ url: URL, password: null, connections: 20, commitDeadlineMs: 1000, requireReplica: true },
    replica: { name: "a.b-c_1", allowsReset: true },
  });
  expect(drainOf(flags, shared)).toBe(7000);
});

test("the password: that of the file, else that of the URL, else PGPASSWORD", () => {
  const databasePasswordFile = passwordFile("in-file\n");
  set({ PGPASSWORD: "in-variable", MOMO_DATABASE: WITH_PASSWORD });
  expect(namedDatabase({})?.password).toBeNull(); // the URL has it
  expect(namedDatabase({ databasePasswordFile })?.password).toBe("in-file");
  expect(namedDatabase({ database: URL })).toEqual({ url: URL, password: "in-variable" });
  expect(namedDatabase({ database: URL, databasePasswordFile })?.password).toBe("in-file");
  expect(namedDatabase({ databasePasswordFile: passwordFile(" in file \r\n") })?.password).toBe(" in file ");
  set({});
  expect(namedDatabase({ database: URL })?.password).toBeNull();
});

test.each([
  ["nothing", ""],
  ["an empty line", "\n"],
  ["two lines", "two\nlines\n"],
  ["1,001 characters", "x".repeat(1001)],
])("a password file with %s is refused", (_, text) => {
  const refused = () => namedDatabase({ database: URL, databasePasswordFile: passwordFile(text) });
  expect(refused).toThrow("--database-password-file must hold one line of 1 to 1000 characters");
});

test("a data directory that is named comes before MOMO_DATABASE, but not before --database", () => {
  set({ MOMO_DATABASE: URL });
  expect(databaseUnlessData({ data: "/tmp/a" })).toBeNull();
  expect(databaseUnlessData({})?.url).toBe(URL);
  const database = "postgres://u@other/shop";
  expect(databaseUnlessData({ data: "/tmp/a", database })?.url).toBe(database);
});

describe("refused", () => {
  const OPTIONS: [name: string, flags: SharingFlags][] = [
    ["--database-password-file", { databasePasswordFile: "x" }],
    ["--database-connections", { databaseConnections: 2 }],
    ["--commit-deadline", { commitDeadline: 1000 }],
    ["--replica", { replica: "a" }],
    ["--require-replica", { requireReplica: true }],
    ["--allow-reset", { allowReset: true }],
  ];
  test.each(OPTIONS)("%s without a database", (name, flags) => {
    set({});
    expect(() => sharedDatabase(flags)).toThrow(`${name} has a meaning only with --database`);
  });

  test("a URL of another kind, whose password no message shows", () => {
    for (const url of ["shop", "mysql://u:in-url@db/shop", `postgres://u@db/${"x".repeat(2000)}`]) {
      const form = "must look like postgres://USER@HOST:PORT/NAME";
      expect(() => read("--database", url)).toThrow(`--database ${form}`);
      set({ MOMO_DATABASE: url });
      expect(() => namedDatabase({})).toThrow(`MOMO_DATABASE ${form}`);
    }
    expect(read("--database", "postgresql://u@db/shop").database).toBe("postgresql://u@db/shop");
  });

  const VALUES: [option: string, least: string, most: string, wrong: string[], rule: string][] = [
    ["--database-connections", "2", "100", ["1", "101", "2.5", "x", "0x2"], "It must be a whole number from 2 to 100"],
    ["--commit-deadline", "1s", "60s", ["999ms", "60001ms", "0s"], "It must be from 1s to 60s"],
    ["--drain", "0s", "60s", ["60001ms", "61s"], "It must be from 0s to 60s"],
    ["--replica", "a", "a".repeat(40), ["", "a".repeat(41), "a b", "a/b", "é"], "It must be 1 to 40 letters"],
  ];
  test.each(VALUES)("%s: from %s to %.10s", (option, least, most, wrong, rule) => {
    for (const value of [least, most]) expect(() => read(option, value)).not.toThrow();
    for (const value of wrong) expect(() => read(option, value)).toThrow(rule);
  });
});
