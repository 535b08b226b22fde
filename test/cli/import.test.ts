import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { copyDatabase } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { openStoreWithMerchants } from "../support/shop.ts";

afterAll(cleanUp);

/** A sandbox with one payment, which is pending, and a copy of its database. */
const origin = await startIn(newFolder());
const pendingId = await origin.pay({}, "manual");
const copy = join(newFolder(), "copy");
copyDatabase(join(origin.at[1], "momo.db"), copy, copy);

/** A data directory with another database. */
async function otherData(): Promise<string> {
  const data = newFolder();
  (await openStoreWithMerchants(join(data, "momo.db"))).close();
  return data;
}

describe("momo import FILE puts it into the data directory", () => {
  test.concurrent("in private files, also under umask 000; a server goes on with its keys and its pending prompt", async () => {
    const data = join(newFolder(), "data");
    const program = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
    expect(await runMomo(["import", copy, "--data", data], { program })).toEqual({
      stdout: "",
      stderr: `made ${join(data, "momo.db")}: 1 merchant, 1 transaction\n`,
      exitCode: 0,
    });
    expect(readdirSync(data).sort()).toEqual(["momo.db", "momo.lock"]);
    for (const name of readdirSync(data)) expect(statSync(join(data, name)).mode & 0o777).toBe(0o600);
    const { baseUrl, control } = await startIn(data);
    await control("POST", `/prompts/${pendingId}/answer`, { pin: "1234" });
    const list = await fetch(`${baseUrl}/transactions.php`, { headers: origin.headers });
    expect(await list.json()).toMatchObject({
      transactions: [{ checkout_request_id: pendingId, status: "completed" }],
    });
  });

  test.concurrent("- is standard input", async () => {
    const data = join(newFolder(), "data");
    const script = `"$@" export - --data '${origin.at[1]}' | "$@" import - --json --data '${data}'`;
    const run = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
    const contents = { schema: KNOWN_SCHEMA, merchants: 1, transactions: 1 };
    expect(JSON.parse(run.stdout)).toEqual({ data, replaced: false, ...contents, credentials: "none" });
  });
});

describe("it refuses, and changes nothing", () => {
  const forged = (file: string) => {
    copyFileSync(copy, file);
    const database = new Database(file);
    database.run("PRAGMA ignore_check_constraints = ON");
    database.run("UPDATE merchants SET created_at_ms = 253402300800000");
    database.close();
  };
  const REFUSED: [what: string, prepare: (file: string) => void, why: string][] = [
    ["text", (file) => writeFileSync(file, "not a database"), "is damaged or not a database"],
    ["an empty file", (file) => writeFileSync(file, ""), "is damaged or not a database"],
    ["half a copy", (file) => writeFileSync(file, readFileSync(copy).subarray(0, 8192)), "is damaged"],
    ["a value that the API never stores", forged, "holds what momo never stores: merchants.created_at_ms is 2534"],
    [
      "a database with a log beside it",
      (file) => {
        copyFileSync(copy, file);
        writeFileSync(`${file}-wal`, "journal");
      },
      "is in use",
    ],
    ["a folder", (file) => mkdirSync(file), "is a folder"],
    ["a pipe without a writer", (file) => void Bun.spawnSync(["mkfifo", file]), "is a pipe or a device"],
    ["a device", (file) => symlinkSync("/dev/null", file), "is a pipe or a device"],
  ];
  test.concurrent.each(REFUSED)("%s", async (_what, prepare, why) => {
    const data = await otherData();
    const file = join(newFolder(), "given");
    prepare(file);
    const before = readFileSync(join(data, "momo.db"));
    const run = await runMomo(["import", file, "--replace", "--data", data]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toStartWith(`momo: ${file} ${why}`);
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(2);
    expect(readFileSync(join(data, "momo.db")).equals(before)).toBe(true);
    expect(readdirSync(data).filter((name) => name !== "momo.lock")).toEqual(["momo.db"]);
  });

  test.concurrent("a missing file: exit 3, and no directory is made", async () => {
    const folder = newFolder();
    const run = await runMomo(["import", join(folder, "gone"), "--data", join(folder, "data")]);
    expect(run).toMatchObject({ stdout: "", exitCode: 3 });
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  test.concurrent("an endless input, after its first bytes", async () => {
    const script = `"$@" import - --data '${join(newFolder(), "data")}' </dev/zero`;
    const run = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("standard input is damaged") });
  });

  test.concurrent("Ctrl+C while it reads: no draft is left", async () => {
    const data = await otherData();
    const before = readFileSync(join(data, "momo.db"));
    const command = [...PROGRAM, "import", "-", "--replace", "--data", data];
    const child = Bun.spawn(command, { stdin: "pipe", stderr: "pipe" });
    await child.stdin.write(readFileSync(copy).subarray(0, 4096));
    await child.stdin.flush();
    const drafts = () => readdirSync(data).filter((name) => name.endsWith(".tmp"));
    while (drafts().length === 0 && child.exitCode === null) await Bun.sleep(5);
    expect(drafts()).toHaveLength(1);
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(drafts()).toEqual([]);
    expect(readFileSync(join(data, "momo.db")).equals(before)).toBe(true);
  });

  test.concurrent("while a server runs on that directory, which it names", async () => {
    const run = await runMomo(["import", copy, "--replace", ...origin.at]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toContain(`in use by another momo (process ${process.pid}`);
    expect(await origin.list()).toHaveLength(1);
  });

  test.concurrent("a database that is there, without --replace", async () => {
    const data = await otherData();
    const before = readFileSync(join(data, "momo.db"));
    const run = await runMomo(["import", copy, "--data", data, "--json"]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(failureOf(run).hint).toContain("--replace");
    expect(readFileSync(join(data, "momo.db")).equals(before)).toBe(true);
  });
});
