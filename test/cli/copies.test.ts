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
import { failureOf, openMomo, PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { openStoreWithMerchants } from "../support/shop.ts";
import { until } from "../support/waiting.ts";

afterAll(cleanUp);

/** A sandbox with one payment, which is pending, and a COPY of its database. */
const origin = await startIn(newFolder());
const pendingId = await origin.pay({}, "manual");
const COPY = join(newFolder(), "copy");
copyDatabase(join(origin.at[1], "momo.db"), COPY, COPY);

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
    expect(await runMomo(["import", COPY, "--data", data], { program })).toEqual({
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

  test.concurrent("without the webhooks that wait: a copy must not send them again", async () => {
    const { control, pay, at } = await startIn(newFolder());
    await control("PUT", "/webhook", { url: "http://127.0.0.1:1/", delay: "1h" });
    await pay({}, "completed; after=0ms");
    await until(
      async () => (await control("GET", "/webhook")).deliveries,
      (all) => (all as unknown[]).length === 1,
    );
    const [copy, data] = [join(newFolder(), "copy"), join(newFolder(), "data")];
    copyDatabase(join(at[1], "momo.db"), copy, copy);
    await runMomo(["import", copy, "--data", data]);
    expect((await (await startIn(data)).control("GET", "/webhook")).deliveries).toEqual([]);
  });

  test.concurrent("an empty log beside the file is no newer part of it", async () => {
    const file = join(newFolder(), "copy");
    copyFileSync(COPY, file);
    writeFileSync(`${file}-wal`, "");
    expect(await runMomo(["import", file, "--data", join(newFolder(), "data")])).toMatchObject({ exitCode: 0 });
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
    copyFileSync(COPY, file);
    const database = new Database(file);
    database.run("PRAGMA ignore_check_constraints = ON");
    database.run("UPDATE merchants SET created_at_ms = 253402300800000");
    database.close();
  };
  const REFUSED: [what: string, prepare: (file: string) => void, why: string][] = [
    ["text", (file) => writeFileSync(file, "not a database"), "is damaged or not a database"],
    ["an empty file", (file) => writeFileSync(file, ""), "is damaged or not a database"],
    ["half a copy", (file) => writeFileSync(file, readFileSync(COPY).subarray(0, 8192)), "is damaged"],
    ["a value that the API never stores", forged, "holds what momo never stores: merchants.created_at_ms is 2534"],
    [
      "a database with a log beside it",
      (file) => {
        copyFileSync(COPY, file);
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
    await child.stdin.write(readFileSync(COPY).subarray(0, 4096));
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
    const run = await runMomo(["import", COPY, "--replace", ...origin.at]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toContain(`in use by another momo (process ${process.pid}`);
    expect(await origin.list()).toHaveLength(1);
  });

  test.concurrent("a database that is there, without --replace", async () => {
    const data = await otherData();
    const before = readFileSync(join(data, "momo.db"));
    const run = await runMomo(["import", COPY, "--data", data, "--json"]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(failureOf(run).hint).toContain("--replace");
    expect(readFileSync(join(data, "momo.db")).equals(before)).toBe(true);
  });
});

/** A data directory with one merchant, which no server uses. */
const data = newFolder();
(await openStoreWithMerchants(join(data, "momo.db"))).close();
const exportTo = (copy: string, ...flags: string[]) => runMomo(["export", copy, "--data", data, ...flags]);

function idsIn(copy: string): Set<number> {
  const database = new Database(copy, { readonly: true });
  const rows = database.query<{ id: number }, []>("SELECT id FROM transactions").all();
  database.close();
  return new Set(rows.map(({ id }) => id));
}

test.concurrent("a copy that is made while a server accepts payments has every payment that was answered before", async () => {
  const server = await serveMomo();
  const order = { payment_account_id: 1, phone: "0712345678", amount: 5 };
  const folder = newFolder();
  const answered: number[] = [];
  let isPaying = true;
  const payers = Array.from({ length: 4 }, async () => {
    while (isPaying) {
      const answer = (await (await server.post("/stkpush.php", order)).json()) as { transaction_id: number };
      answered.push(answer.transaction_id);
    }
  });
  for (const name of ["1", "2", "3"]) {
    const before = [...answered];
    const file = join(folder, name);
    const { exitCode, stdout, stderr } = await runMomo(["export", file, ...server.at, "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const ids = idsIn(file);
    for (const id of before) expect(ids.has(id)).toBe(true);
    const contents = { schema: KNOWN_SCHEMA, merchants: 1, transactions: ids.size };
    expect(JSON.parse(stdout)).toEqual({ file, bytes: statSync(file).size, ...contents });
  }
  isPaying = false;
  await Promise.all(payers);
  expect(readdirSync(folder).sort()).toEqual(["1", "2", "3"]);
  expect(readFileSync(join(folder, "3")).includes(server.ready.api_secret)).toBe(false);
});

test.concurrent("without a server too; also under umask 000 the copy is 0600, and the data directory stays as it was", async () => {
  const alone = newFolder();
  (await openStoreWithMerchants(join(alone, "momo.db"))).close();
  const copy = join(newFolder(), "copy");
  const program = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
  const run = await runMomo(["export", copy, "--data", alone], { program });
  expect(run).toEqual({ stdout: "", stderr: `wrote ${copy}: 1 merchant, 0 transactions\n`, exitCode: 0 });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readdirSync(alone)).toEqual(["momo.db"]);
});

const THERE: [what: string, prepare: (path: string, elsewhere: string) => void][] = [
  ["a file", (path) => writeFileSync(path, "mine")],
  ["an empty file", (path) => writeFileSync(path, "")],
  ["a folder", (path) => mkdirSync(path)],
  ["a link that leads nowhere", (path, elsewhere) => symlinkSync(elsewhere, path)],
];
test.concurrent.each(THERE)("it does not overwrite %s", async (what, prepare) => {
  const folder = newFolder();
  const [copy, elsewhere] = [join(folder, "copy"), join(folder, "elsewhere")];
  prepare(copy, elsewhere);
  const run = await exportTo(copy);
  expect(run).toMatchObject({ stdout: "", exitCode: 1 });
  expect(run.stderr).toStartWith(`momo: ${copy} already exists\n`);
  expect(existsSync(elsewhere)).toBe(false);
  expect(readdirSync(folder)).toEqual(["copy"]);
  if (what === "a file") expect(readFileSync(copy, "utf8")).toBe("mine");
});

describe("- is standard output", () => {
  test.concurrent("the same bytes as a file, and nothing else", async () => {
    const cwd = newFolder();
    const script = `"$@" export - --data '${data}' >copy`;
    const piped = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM], { cwd });
    expect(piped).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    await exportTo(join(cwd, "file"));
    expect(readFileSync(join(cwd, "copy")).equals(readFileSync(join(cwd, "file")))).toBe(true);
  });

  test.concurrent("a reader that ends early leaves nothing in the temporary folder", async () => {
    const temporary = newFolder();
    const script = `"$@" export - --data '${data}' | head -c 5; ls '${temporary}'`;
    const run = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM], { env: { TMPDIR: temporary } });
    expect(run).toMatchObject({ stdout: "SQLit", stderr: "" });
  });

  test.concurrent("not on a terminal, and not beside JSON", async () => {
    const { screen, exited } = openMomo(["export", "-", "--data", data]);
    expect(await exited).toBe(2);
    expect(screen.text).toContain("name a file");
    const run = await exportTo("-", "--json");
    expect(run).toMatchObject({ stdout: "", exitCode: 2 });
    expect(failureOf(run).message).toContain("--json");
  });
});

describe("an export that is not possible is refused, and leaves no file", () => {
  test.concurrent("a directory without a database: exit 3", async () => {
    const folder = newFolder();
    const run = await runMomo(["export", join(folder, "copy"), "--data", join(folder, "data")]);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain("there is no database");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.concurrent("a damaged database", async () => {
    const [damaged, folder] = [newFolder(), newFolder()];
    const good = readFileSync(join(data, "momo.db"));
    const bytes = Buffer.concat([good.subarray(0, 4096), Buffer.alloc(good.length - 4096, 0xa5)]);
    writeFileSync(join(damaged, "momo.db"), bytes);
    const run = await runMomo(["export", join(folder, "copy"), "--data", damaged]);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("damaged");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.concurrent("a place that cannot be written", async () => {
    const copy = join(newFolder(), "missing", "copy");
    const run = await exportTo(copy);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toStartWith(`momo: ${copy} cannot be written (ENOENT)\n`);
  });
});
