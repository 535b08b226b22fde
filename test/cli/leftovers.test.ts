import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { dataDirectoryAt } from "../../cli/files/data-directory.ts";
import { writePrivateFile } from "../../cli/files/files.ts";
import { removeDrafts } from "../../cli/files/leftovers.ts";
import { lockDirectory } from "../../cli/files/own-directory.ts";
import { makeTemporaryDirectory, removeTemporaryLeftovers } from "../../cli/files/temporary-directory.ts";
import { withHintFor } from "../../cli/terminal/failure.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { giveAway, testWithOtherUser } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";
import { until } from "../support/waiting.ts";
import { writeServerRecord } from "./used-directory.ts";

/** What processes that were killed leave in data directories and among temporary folders. */

afterAll(cleanUp);

const LOCKED_FOLDERS = join(import.meta.dir, "../../cli/files/temporary-directory.ts");
const OWN_DIRECTORY = join(import.meta.dir, "../../cli/files/own-directory.ts");

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

  test.concurrent("what a process uses stays, however many start beside it, and the leftovers around it go", async () => {
    const TMPDIR = newFolder();
    const server = await serveMomo(["--ephemeral"], { env: { TMPDIR } });
    for (const name of "12345678") {
      const whole = join(newFolder(), name);
      cpSync(killed, whole, { recursive: true });
      renameSync(whole, join(TMPDIR, `momo-temporary-00000${name}`)); // the server may remove it at once
    }
    const starts = Array.from({ length: 6 }, () => runMomo(["exec", "--", "true"], { env: { TMPDIR } }));
    for (const run of await Promise.all(starts)) expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await server.get("/transactions.php")).status).toBe(200);
    removeTemporaryLeftovers(TMPDIR); // two that remove the same folder at once may both leave it to the next one
    expect(readdirSync(TMPDIR)).toEqual([basename(server.ready.data)]);
  });

  test("a new folder is used at once while another process looks for leftovers: one that is not locked yet is made again", async () => {
    const TMPDIR = newFolder();
    const run = (code: string) =>
      Bun.spawn([process.execPath, "-e", `import * as folders from ${JSON.stringify(LOCKED_FOLDERS)}; ${code}`], {
        env: { ...process.env, TMPDIR },
      });
    const remover = run("for (;;) { folders.removeTemporaryLeftovers(); await Bun.sleep(0); }");
    const rounds = "for (let round = 1; round <= 200; round += 1)";
    const maker = run(
      `import { holdDirectory } from ${JSON.stringify(OWN_DIRECTORY)};
      ${rounds} { const { directory, remove } = folders.makeTemporaryDirectory(); holdDirectory(directory)(); remove(); }`,
    );
    const exitCode = await maker.exited;
    remover.kill();
    await remover.exited;
    expect(exitCode).toBe(0);
  });

  test.skipIf(process.platform === "win32")(
    "a folder is gone before its lock is released: who waits for the lock does not use the folder",
    () => {
      const { directory, remove } = makeTemporaryDirectory();
      const { close } = Database.prototype;
      let wasThere: boolean | undefined;
      const spy = spyOn(Database.prototype, "close").mockImplementation(function (this: Database, ...given) {
        wasThere = existsSync(directory.path);
        return close.apply(this, given);
      });
      remove();
      spy.mockRestore();
      expect(wasThere).toBe(false);
    },
  );

  test("nothing else is touched: no link, no folder of another name, none without momo's lock", () => {
    const { TMPDIR, folder } = leftBehind();
    const elsewhere = newFolder();
    writeFileSync(join(elsewhere, "in-use.lock"), "");
    symlinkSync(elsewhere, join(TMPDIR, "momo-temporary-linked"));
    for (const name of ["momo-data", "momo-temporary-notes"]) {
      mkdirSync(join(TMPDIR, name));
      writeFileSync(join(TMPDIR, name, "notes.txt"), "mine");
    }
    mkdirSync(join(TMPDIR, "momo-temporary-000000")); // its process was killed before it locked it
    cpSync(folder, join(TMPDIR, "momo-temporary-111111"), { recursive: true });
    symlinkSync(elsewhere, join(TMPDIR, "momo-temporary-111111", "link"));
    removeTemporaryLeftovers(TMPDIR);
    const stay = ["momo-data", "momo-temporary-111111", "momo-temporary-linked", "momo-temporary-notes"];
    expect(readdirSync(TMPDIR).sort()).toEqual(stay);
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
    const child = startMomo(["import", "-", "--replace", "--data", data], { stdin: null });
    await child.say(readFileSync(join(data, "momo.db")).subarray(0, 1000));
    // An empty one would be nobody's.
    const drafts = () =>
      readdirSync(data).filter((name) => name.includes(".tmp") && statSync(join(data, name)).size > 0);
    const [draft = ""] = await until(drafts, ({ length }) => length === 1);
    child.signal("SIGKILL");
    await child.exited;
    expect(draft).toMatch(/^momo\.db\.[0-9]+-copy\.tmp$/);
    return { data, draft: join(data, draft) };
  }

  test.concurrent("is removed by the next server", async () => {
    const { data } = await killedImport();
    cpSync(join(data, "credentials.json"), join(data, "credentials.json.123.tmp"));
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

  /** What SQLite's logs begin with. */
  const BEGINNINGS = { "-wal": "377f0682", "-journal": "d9d505f920a163d7" };

  test.each(["-wal", "-journal"] as const)(
    "the %s of a damaged database, which it put aside, is put back; or removed, if the new database is in place",
    async (end) => {
      const data = newFolder();
      const database = readFileSync(join(await newData(), "momo.db"));
      const log = Buffer.from(BEGINNINGS[end], "hex");
      for (const name of ["momo.db", "momo.db.12.tmp"]) writeFileSync(join(data, name), database);
      for (const name of ["momo.db.12.tmp-wal", "momo.db.12.tmp-shm"]) writeFileSync(join(data, name), "");
      writeFileSync(join(data, `momo.db.12.tmp-old${end}`), log);
      removeDrafts(dataDirectoryAt(data));
      expect(readdirSync(data).sort()).toEqual(["momo.db", `momo.db${end}`]);
      expect(readFileSync(join(data, `momo.db${end}`))).toEqual(log);

      const other = newFolder();
      writeFileSync(join(other, `momo.db.12.tmp-old${end}`), log);
      removeDrafts(dataDirectoryAt(other));
      expect(readdirSync(other)).toEqual([]);
    },
  );
});

test("the record of a killed server goes when the next process takes its folder", async () => {
  const directory = dataDirectoryAt(newFolder());
  writeServerRecord(directory.path, "http://127.0.0.1:1", { pid: 1 });
  const release = lockDirectory(directory);
  expect(existsSync(directory.server)).toBe(false);
  release();
});

test("a draft that a killed process with the same number left does not stop a write, and stays", () => {
  const file = join(newFolder(), "clock.json");
  writeFileSync(`${file}.${process.pid}.tmp`, "half");
  writePrivateFile(file, "{}");
  expect(readFileSync(file, "utf8")).toBe("{}");
  expect(readFileSync(`${file}.${process.pid}.tmp`, "utf8")).toBe("half");
  expect(readdirSync(join(file, ".."))).toHaveLength(2);
});

test("if the copy of a shared database cannot be written, no right of the database's user helps", () => {
  const full = new UnusableDatabase("unwritable", "copy cannot be used: the disk is full", "free some space", "copy");
  expect(withHintFor("shared", full)).toBe(full);
});
