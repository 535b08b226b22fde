import { afterAll, describe, expect, test } from "bun:test";
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
} from "../../cli/commands/database-flags.ts";
import { serveCommand } from "../../cli/commands/serve.ts";
import type { SandboxConfig } from "../../cli/serving/run-sandbox.ts";
import { configOf, type SandboxFlags } from "../../cli/serving/sandbox-flags.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { TestIo } from "../support/io.ts";
import { startIn } from "../support/sandbox.ts";
import { rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);

/** The configuration that `momo serve` makes from these flags; no server starts. What it refuses is in sessions/serve.txt. */
async function configFrom(...flags: string[]): Promise<Partial<SandboxConfig>> {
  let config: Partial<SandboxConfig> = {};
  const command = serveCommand(new TestIo())
    .exitOverride()
    .action(async (given: SandboxFlags) => {
      config = await configOf(new TestIo(), given);
    });
  await command.parseAsync(flags, { from: "user" });
  return config;
}

describe("a good value does what it says", () => {
  test.each<[flags: string[], config: Partial<SandboxConfig>]>([
    [["--outcome", "pin_locked", "--after", "24h"], { fallback: { outcome: "pin_locked", after: "24h" } }],
    [["--prompt-timeout", "1s"], { promptTimeoutMs: 1000 }],
    [["--response-form", "short"], { profile: { response_form: "short" } }],
    [["--base-path", "/"], { basePaths: [""] }],
    [["--base-path", "/1/2/3/4/5/6/7"], { basePaths: ["/1/2/3/4/5/6/7"] }],
    [["--base-path", `/${"a".repeat(99)}`], { basePaths: [`/${"a".repeat(99)}`] }],
    [["--clock", "2026-03-31 23:59:50"], { startAt: { atMs: Date.UTC(2026, 2, 31, 20, 59, 50), isFrozen: true } }],
    [["--clock", "2028-02-29T00:00Z; running"], { startAt: { atMs: Date.UTC(2028, 1, 29), isFrozen: false } }],
    [["--seed", "a b"], { seed: "a b" }],
    [["--webhook", "https://shop.example/hook"], { webhook: "https://shop.example/hook" }],
  ])("%j", async (flags, config) => {
    expect(await configFrom(...flags)).toMatchObject(config);
  });

  test("a flag that is not given has its documented default", async () => {
    expect(await configFrom()).toEqual({
      basePaths: ["/v2", "/api/v2"],
      profile: {},
      fallback: { outcome: "completed" },
      promptTimeoutMs: 60_000,
      tariff: null,
      rules: [],
      webhook: null,
      startAt: null,
      seed: null,
    });
  });
});

describe("--rules FILE", () => {
  function fileWith(content: string | Uint8Array): string {
    const file = join(newFolder(), "rules.json");
    writeFileSync(file, content);
    return file;
  }

  test("its rules are in force from the first payment on", async () => {
    const file = fileWith('{"rules":[{"match":{"amount":7},"outcome":"cancelled","after":"0s"}]}');
    const sandbox = await startIn(newFolder(), await configFrom("--rules", file));
    expect(await sandbox.statusOf(await sandbox.pay({ amount: 7 }))).toBe("cancelled");
  });

  test("a file of 1 MiB is read", async () => {
    expect((await configFrom("--rules", fileWith(`[${" ".repeat(1024 * 1024 - 2)}]`))).rules).toEqual([]);
  });

  test("a refusal shows a number as it is written", async () => {
    const file = fileWith('[{"match":{"payment_account_id":9007199254740993},"outcome":"completed"}]');
    const refusal = await rejectionOf(configFrom("--rules", file));
    expect(String(refusal)).toContain("it is 9007199254740993, which is too large");
  });

  test("a byte order mark and the line ends of Windows do no harm", async () => {
    expect((await configFrom("--rules", fileWith("\ufeff[\r\n]\r\n"))).rules).toEqual([]);
  });
});

describe("--profile FILE", () => {
  const fileWith = (content: string): string => {
    const file = join(newFolder(), "my-service.json");
    writeFileSync(file, content);
    return file;
  };

  test("a file's members are in force, named by the file if it has no name, and a flag wins", async () => {
    const members = '{"base_path":"/pay/v2","accept":"lenient","phone":"0","fee":"2%","prompt_timeout":"30s"}';
    const config = await configFrom("--profile", fileWith(members), "--accept", "strict", "--fee", "10");
    expect(config).toMatchObject({
      ...{ basePaths: ["/pay/v2"], promptTimeoutMs: 30_000, tariff: { basisPoints: 0, fixedCents: 1000 } },
      profile: { name: "my-service", accept: "strict", phone: "0" },
    });
    expect((await configFrom("--profile", fileWith(members), "--prompt-timeout", "5s")).promptTimeoutMs).toBe(5000);
    expect((await configFrom("--profile", fileWith('{"name":"own"}'))).profile).toEqual({ name: "own" });
  });
});

/** The options of a database that several servers share, without a database. */

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
  const io = new TestIo({ environment: { MOMO_DATABASE: URL } });
  const shared = sharedDatabase(io, {});
  expect(shared).toMatchObject({ url: URL, password: null, connections: 8, commitDeadlineMs: 10_000 });
  expect(shared).toMatchObject({ requireReplica: false, replica: { allowsReset: false } });
  expect(shared?.replica.name).toMatch(/^[A-Za-z0-9_.-]{1,40}$/);
  expect(shared?.replica.name).toEndWith(`-${process.pid}`);
  expect(shared?.replica.name).toStartWith(hostname().slice(0, 1));
  expect([drainOf({}, shared), drainOf({}, null), drainOf({ drain: 0 }, shared)]).toEqual([5000, 0, 0]);
  const none = new TestIo();
  expect(sharedDatabase(none, {})).toBeNull();
});

test("each option replaces its default", () => {
  const io = new TestIo();
  const words = ["--database-connections", "20", "--commit-deadline", "1s", "--drain", "7s", "--replica", "a.b-c_1"];
  const flags = read("--database", URL, ...words, "--require-replica", "--allow-reset");
  const shared = sharedDatabase(io, flags);
  expect(shared).toEqual({
    ...{ url: URL, password: null, connections: 20, commitDeadlineMs: 1000, requireReplica: true },
    replica: { name: "a.b-c_1", allowsReset: true },
  });
  expect(drainOf(flags, shared)).toBe(7000);
});

test("the password: that of the file, else that of the URL, else PGPASSWORD", () => {
  const databasePasswordFile = passwordFile("in-file\n");
  const io = new TestIo({ environment: { PGPASSWORD: "in-variable", MOMO_DATABASE: WITH_PASSWORD } });
  expect(namedDatabase(io, {})?.password).toBeNull(); // the URL has it
  expect(namedDatabase(io, { databasePasswordFile })?.password).toBe("in-file");
  expect(namedDatabase(io, { database: URL })).toEqual({ url: URL, password: "in-variable" });
  expect(namedDatabase(io, { database: URL, databasePasswordFile })?.password).toBe("in-file");
  expect(namedDatabase(io, { databasePasswordFile: passwordFile(" in file \r\n") })?.password).toBe(" in file ");
  const none = new TestIo();
  expect(namedDatabase(none, { database: URL })?.password).toBeNull();
});

test("a data directory that is named comes before MOMO_DATABASE, but not before --database", () => {
  const io = new TestIo({ environment: { MOMO_DATABASE: URL } });
  expect(databaseUnlessData(io, { data: "/tmp/a" })).toBeNull();
  expect(databaseUnlessData(io, {})?.url).toBe(URL);
  const database = "postgres://u@other/shop";
  expect(databaseUnlessData(io, { data: "/tmp/a", database })?.url).toBe(database);
  expect(sharedDatabase(io, { data: "/tmp/a" })).toBeNull();
  expect(sharedDatabase(io, { data: "/tmp/a", replica: "a" })?.url).toBe(URL);
});

test.each([
  ["--database", "postgresql://u@db/shop", URL],
  ["--database-connections", "2", "100"],
  ["--commit-deadline", "1s", "60s"],
  ["--drain", "0s", "60s"],
  ["--replica", "a", "a".repeat(40)],
])("%s takes %s and %.20s; sessions/serve.txt has what it refuses", (option, least, most) => {
  for (const value of [least, most]) expect(() => read(option, value)).not.toThrow();
});
