import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { dataDirectoryAt } from "../../cli/serving/data-directory.ts";
import { removeLeftoversIn } from "../../cli/serving/lock-directory.ts";
import { removeTemporaryLeftovers } from "../../cli/serving/temporary-directory.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { giveAway, testWithOtherUser } from "../support/other-user.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

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
    removeTemporaryLeftovers(TMPDIR);
    expect(readdirSync(TMPDIR).sort()).toEqual(["momo-data", "momo-temporary-linked", "momo-temporary-notes"]);
    expect(readdirSync(elsewhere)).toEqual(["in-use.lock"]);
  });

  testWithOtherUser("leftovers of another user stay", async () => {
    const { TMPDIR, folder } = leftBehind();
    giveAway(folder);
    removeTemporaryLeftovers(TMPDIR);
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
    child.kill("SIGKILL");
    await child.exited;
    const [draft = ""] = drafts();
    expect(draft).toMatch(/^momo\.db\.[0-9]+\.tmp$/);
    return { data, draft: join(data, draft) };
  }

  test.concurrent("is removed by the next server", async () => {
    const { data } = await killedImport();
    const record = join(data, "server.json.123.tmp");
    writeFileSync(record, "");
    writeFileSync(join(data, "notes.123.tmp"), "mine");
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
