import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { openStoreWithMerchants } from "../support/shop.ts";
import { openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

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

test.concurrent("a copy that is made while a server takes payments has every payment that was answered before", async () => {
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

describe("what cannot be copied is refused, and nothing is left", () => {
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
