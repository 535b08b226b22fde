import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const PAYMENT = { payment_account_id: 1, phone: "0712345678", amount: 5 };

/** A data directory with one merchant, which no server uses. */
async function dataOf(name: string): Promise<string> {
  const data = join(newFolder(), "data");
  await runMomo(["merchants", "create", "--name", name, "--data", data]);
  return data;
}

function idsIn(copy: string): Set<number> {
  const database = new Database(copy, { readonly: true });
  const rows = database.query<{ id: number }, []>("SELECT id FROM transactions").all();
  database.close();
  return new Set(rows.map(({ id }) => id));
}

test.concurrent("a consistent copy while serving: all that was answered before is in it", async () => {
  const server = await serveMomo();
  const folder = newFolder();
  const answered: number[] = [];
  let isPaying = true;
  const payers = Array.from({ length: 4 }, async () => {
    while (isPaying) {
      const answer = (await (await server.post("/stkpush.php", PAYMENT)).json()) as { transaction_id: number };
      answered.push(answer.transaction_id);
    }
  });
  for (const name of ["1", "2", "3"]) {
    const before = [...answered];
    const copy = join(folder, name);
    const { exitCode, stdout, stderr } = await runMomo(["export", copy, ...server.at, "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const ids = idsIn(copy);
    for (const id of before) expect(ids.has(id)).toBe(true);
    const { size: bytes } = statSync(copy);
    expect(JSON.parse(stdout)).toEqual({
      file: copy,
      bytes,
      schema: KNOWN_SCHEMA,
      merchants: 1,
      transactions: ids.size,
    });
  }
  isPaying = false;
  await Promise.all(payers);
  expect(readdirSync(folder).sort()).toEqual(["1", "2", "3"]);
  expect(readFileSync(join(folder, "3")).includes(server.ready.api_secret)).toBe(false);
});

test.concurrent("without a running server too, which leaves the data directory as it was", async () => {
  const data = await dataOf("Duka");
  const before = readdirSync(data);
  const copy = join(newFolder(), "copy");
  const run = await runMomo(["export", copy, "--data", data]);
  expect(run).toEqual({ stdout: "", stderr: `wrote ${copy}: 1 merchant, 0 transactions\n`, exitCode: 0 });
  expect(readdirSync(data)).toEqual(before);
});

test.concurrent("also under umask 000 it is 0600", async () => {
  const loose = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
  const copy = join(newFolder(), "copy");
  await runMomo(["export", copy, "--data", await dataOf("Duka")], { program: loose });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
});

describe("it refuses to overwrite", () => {
  const PREPARED: [what: string, prepare: (path: string, elsewhere: string) => void][] = [
    ["a file", (path) => writeFileSync(path, "mine")],
    ["an empty file", (path) => writeFileSync(path, "")],
    ["a folder", (path) => mkdirSync(path)],
    ["a link, even one that leads nowhere", (path, elsewhere) => symlinkSync(elsewhere, path)],
  ];
  for (const [what, prepare] of PREPARED) {
    test.concurrent(what, async () => {
      const folder = newFolder();
      const [copy, elsewhere] = [join(folder, "copy"), join(folder, "elsewhere")];
      prepare(copy, elsewhere);
      const run = await runMomo(["export", copy, "--data", await dataOf("Duka")]);
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toStartWith(`momo: ${copy} is there already\n`);
      expect(existsSync(elsewhere)).toBe(false);
      expect(readdirSync(folder)).toEqual(["copy"]);
      if (what === "a file") expect(readFileSync(copy, "utf8")).toBe("mine");
    });
  }
});

describe("- is standard output", () => {
  test.concurrent("the same bytes as a file, and nothing else", async () => {
    const data = await dataOf("Duka");
    const folder = newFolder();
    const piped = await runToEnd(["sh", "-c", `"$@" export - --data '${data}' >copy`, "sh", ...PROGRAM], {
      cwd: folder,
    });
    expect(piped).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    await runMomo(["export", join(folder, "file"), "--data", data]);
    expect(readFileSync(join(folder, "copy")).equals(readFileSync(join(folder, "file")))).toBe(true);
  });

  test.concurrent("a reader that goes away leaves nothing in the temporary folder", async () => {
    const temporary = newFolder();
    const script = `"$@" export - --data '${await dataOf("Duka")}' | head -c 5; ls '${temporary}'`;
    const run = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM], { env: { TMPDIR: temporary } });
    expect(run).toMatchObject({ stdout: "SQLit", stderr: "" });
  });

  test.concurrent("not on a terminal, and not beside JSON", async () => {
    const data = await dataOf("Duka");
    const session = openMomo(["export", "-", "--data", data]);
    expect(await session.exited).toBe(2);
    expect(session.screen.text).toContain("name a file");
    const run = await runMomo(["export", "-", "--json", "--data", data]);
    expect(run).toMatchObject({ stdout: "", exitCode: 2 });
    expect(failureOf(run).message).toContain("--json");
  });
});

describe("what cannot be copied is refused, and nothing is left", () => {
  test.concurrent("a directory without a database: exit 3, as for every other command", async () => {
    const folder = newFolder();
    const run = await runMomo(["export", join(folder, "copy"), "--data", join(folder, "data")]);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain("there is no database");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.concurrent("a damaged database", async () => {
    const data = await dataOf("Duka");
    const good = readFileSync(join(data, "momo.db"));
    writeFileSync(
      join(data, "momo.db"),
      Buffer.concat([good.subarray(0, 4096), Buffer.alloc(good.length - 4096, 0xa5)]),
    );
    const folder = newFolder();
    const run = await runMomo(["export", join(folder, "copy"), "--data", data]);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("damaged");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.concurrent("a place that cannot be written", async () => {
    const copy = join(newFolder(), "missing", "copy");
    const run = await runMomo(["export", copy, "--data", await dataOf("Duka")]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toStartWith(`momo: ${copy} cannot be written (ENOENT)\n`);
  });
});
