import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { dataDirectoryAt } from "../../cli/serving/data-directory.ts";
import { findLeftovers, planDraft, removeLeftoversIn } from "../../cli/serving/leftovers.ts";
import { removeLeftovers } from "../../cli/serving/temporary-directory.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { giveAway, testWithOtherUser } from "../support/other-user.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

/** The leftovers below these folders that `momo doctor` would name. */
const leftoversBelow = (data: string, ...others: string[]) =>
  findLeftovers(dataDirectoryAt(data)).filter((path) => [data, ...others].some((folder) => path.startsWith(folder)));

async function newData(): Promise<string> {
  const data = newFolder();
  await (await startIn(data)).stop();
  return data;
}

describe("what a killed ephemeral server leaves behind", () => {
  let killed: string;
  beforeAll(async () => {
    const server = await serveMomo(["--ephemeral"], { env: { TMPDIR: newFolder() } });
    await server.kill();
    killed = server.ready.data;
    expect(readdirSync(killed)).toContain("momo.db");
  });

  /** A folder for temporary files with such a leftover. */
  function leftBehind(): { TMPDIR: string; folder: string } {
    const TMPDIR = newFolder();
    const folder = join(TMPDIR, basename(killed));
    cpSync(killed, folder, { recursive: true });
    return { TMPDIR, folder };
  }

  test.concurrent("is named by doctor, which changes nothing", async () => {
    const { TMPDIR, folder } = leftBehind();
    const args = ["doctor", "--port", "0", "--data", join(newFolder(), "data"), "--format", "table"];
    const { stdout } = await runMomo(args, { env: { TMPDIR } });
    expect(stdout).toContain(`${folder}, by a momo that was killed`);
    expect(readdirSync(TMPDIR)).toEqual([basename(folder)]);
  });

  test.concurrent.each([[["--ephemeral"]], [[]]])("is removed by momo serve %j", async (flags: string[]) => {
    const { TMPDIR, folder } = leftBehind();
    const child = startMomo(["serve", "--port", "0", ...flags], { env: { TMPDIR } });
    await child.stdout.until(/Ready/);
    while (existsSync(folder)) await Bun.sleep(5);
    child.signal("SIGTERM");
    await child.exited;
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test.concurrent("is removed by momo exec, also if exec itself was killed", async () => {
    const { TMPDIR } = leftBehind();
    const running = startMomo(["exec", "--", "sh", "-c", "echo runs; exec sleep 5 >&- 2>&-"], { env: { TMPDIR } });
    await running.stdout.until(/runs/);
    running.signal("SIGKILL");
    await running.exited;
    expect(readdirSync(TMPDIR)).toHaveLength(1);
    expect(await runMomo(["exec", "--", "true"], { env: { TMPDIR } })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test.concurrent("what a process uses stays, however many start beside it", async () => {
    const TMPDIR = newFolder();
    const server = await serveMomo(["--ephemeral"], { env: { TMPDIR } });
    const starts = Array.from({ length: 6 }, () => runMomo(["exec", "--", "true"], { env: { TMPDIR } }));
    for (const run of await Promise.all(starts)) expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await server.get("/transactions.php")).status).toBe(200);
    expect(readdirSync(TMPDIR)).toEqual([basename(server.ready.data)]);
  });

  test("nothing else is touched: no link, no folder of another name, none without momo's lock", () => {
    const { TMPDIR, folder } = leftBehind();
    const elsewhere = newFolder();
    writeFileSync(join(elsewhere, "in-use.lock"), "");
    symlinkSync(elsewhere, join(TMPDIR, "momo-temporary-linked"));
    for (const name of ["momo-data", "momo-temporary-notes"]) {
      mkdirSync(join(TMPDIR, name));
      writeFileSync(join(TMPDIR, name, "notes.txt"), "mine");
    }
    // A link in the folder is removed, and not its target.
    symlinkSync(elsewhere, join(folder, "link"));
    removeLeftovers(TMPDIR);
    expect(readdirSync(TMPDIR).sort()).toEqual(["momo-data", "momo-temporary-linked", "momo-temporary-notes"]);
    expect(readdirSync(elsewhere)).toEqual(["in-use.lock"]);
  });

  testWithOtherUser("leftovers of another user stay", async () => {
    const { TMPDIR, folder } = leftBehind();
    giveAway(folder);
    removeLeftovers(TMPDIR);
    expect(readdirSync(TMPDIR)).toEqual([basename(folder)]);
  });
});

describe("what a killed import leaves behind", () => {
  /** A data directory, and in it the draft of an import that was killed while it read. */
  async function killedImport(): Promise<{ data: string; draft: string }> {
    const data = await newData();
    const args = ["import", "-", "--replace", "--data", data];
    const child = Bun.spawn([...PROGRAM, ...args], { stdin: "pipe", stderr: "ignore" });
    await child.stdin.write("SQLite format 3\0 and more");
    await child.stdin.flush();
    const drafts = () => readdirSync(data).filter((name) => name.includes(".tmp"));
    while (drafts().length === 0 && child.exitCode === null) await Bun.sleep(5);
    expect(leftoversBelow(data)).toEqual([]); // it is in use
    child.kill("SIGKILL");
    await child.exited;
    const [draft = ""] = drafts();
    expect(draft).toMatch(/^momo\.db\.[0-9]+\.tmp$/);
    return { data, draft: join(data, draft) };
  }

  test.concurrent("is named, and removed by the next server", async () => {
    const { data, draft } = await killedImport();
    const record = join(data, "server.json.123.tmp");
    writeFileSync(record, "");
    writeFileSync(join(data, "notes.123.tmp"), "mine");
    expect(leftoversBelow(data).sort()).toEqual([draft, record]);
    expect(existsSync(draft)).toBe(true);
    await startIn(data);
    expect(readdirSync(data).filter((name) => name.endsWith(".tmp"))).toEqual(["notes.123.tmp"]);
  });

  test.concurrent("is removed by the next import, too", async () => {
    const { data, draft } = await killedImport();
    const copy = join(newFolder(), "copy");
    await runMomo(["export", copy, "--data", data]);
    expect((await runMomo(["import", copy, "--replace", "--data", data])).exitCode).toBe(0);
    expect(existsSync(draft)).toBe(false);
  });

  test("the log of a damaged database, which it put aside, is put back; or removed, if the new database is in place", () => {
    const data = newFolder();
    for (const name of ["momo.db", "momo.db.12.tmp"]) writeFileSync(join(data, name), "wreck");
    writeFileSync(join(data, "momo.db.12.tmp-old-wal"), "log");
    removeLeftoversIn(dataDirectoryAt(data));
    expect(readdirSync(data).sort()).toEqual(["momo.db", "momo.db-wal"]);
    expect(readFileSync(join(data, "momo.db-wal"), "utf8")).toBe("log");

    const other = newFolder();
    writeFileSync(join(other, "momo.db.12.tmp-old-wal"), "log");
    removeLeftoversIn(dataDirectoryAt(other));
    expect(readdirSync(other)).toEqual([]);
  });
});

describe("what a killed export leaves behind", () => {
  /** Makes a database so large that its export takes a moment. */
  function fill(file: string): void {
    const client = new Database(file);
    client.run(`WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 20000)
      INSERT INTO payment_accounts (merchant_id, name, fee_basis_points, fee_fixed_cents, created_at_ms)
      SELECT 1, printf('%0100d', value), 0, 0, 1 FROM n`);
    client.close();
  }

  /** @returns the draft of the copy */
  async function killExportOf(data: string): Promise<string> {
    for (;;) {
      const folder = newFolder();
      const child = Bun.spawn([...PROGRAM, "export", join(folder, "copy"), "--data", data], { stderr: "ignore" });
      while (readdirSync(folder).length === 0 && child.exitCode === null) await Bun.sleep(1);
      child.kill("SIGKILL");
      await child.exited;
      const [draft = ""] = readdirSync(folder).sort();
      if (draft.endsWith(".tmp")) return join(folder, draft);
      // The export ended before the signal arrived.
    }
  }

  test.concurrent("is named, and removed by the next export of that data, wherever it goes, and by the next server", async () => {
    const data = await newData();
    fill(join(data, "momo.db"));
    const draft = await killExportOf(data);
    expect(basename(draft)).toMatch(/^momo-export-\w+\.tmp$/);
    expect(leftoversBelow(data, draft)).toContain(draft);
    const sameData = newFolder();
    cpSync(data, sameData, { recursive: true });

    expect((await runMomo(["export", join(newFolder(), "copy"), "--data", data])).exitCode).toBe(0);
    expect(readdirSync(join(draft, ".."))).toEqual([]);
    expect(leftoversBelow(data, draft)).toEqual([]);

    writeFileSync(draft, "half");
    await startIn(sameData);
    expect(existsSync(draft)).toBe(false);
    expect(leftoversBelow(sameData)).toEqual([]);
  });

  test.concurrent("a draft that is being written stays", async () => {
    const data = await newData();
    const folder = newFolder();
    const draft = planDraft(dataDirectoryAt(data), folder); // this process owns it
    writeFileSync(draft.path, "half");
    await runMomo(["export", join(newFolder(), "copy"), "--data", data]);
    await startIn(data);
    expect(leftoversBelow(data, folder)).toEqual([]);
    expect(readFileSync(draft.path, "utf8")).toBe("half");
    draft.remove();
    expect(readdirSync(folder)).toEqual([]);
  });
});
